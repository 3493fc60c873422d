// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"

namespace meshwright {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

Tree<int> example() {
  Tree<int> tree;
  tree["embed"] = 1;
  tree["decoder/layers/w_v"] = 3;
  tree["decoder/layers/w_q"] = 2;
  tree["decoder/norm"] = 4;
  return tree;
}

TEST(Tree, FlattensInTheOrderOfNames) {
  EXPECT_THAT(flatten(example()),
              ElementsAre(Pair("decoder/layers/w_q", 2), Pair("decoder/layers/w_v", 3),
                          Pair("decoder/norm", 4), Pair("embed", 1)));
  EXPECT_THAT(leaves(example()), ElementsAre(2, 3, 4, 1));
  EXPECT_EQ(example().num_leaves(), 4u);
}

TEST(Tree, UnflattensToTheSameTree) {
  EXPECT_EQ(unflatten(flatten(example())), example());
  Tree<int> other = example();
  other.at("decoder/norm").value() = 5;
  EXPECT_FALSE(other == example());
}

// Recursing 200,000 levels deep would overflow the stack.
TEST(Tree, RefusesToBeVeryDeep) {
  std::string path = "a";
  for (int i = 1; i < 200'000; ++i)
    path += "/a";
  Tree<int> tree;
  const Error error = thrown_by([&] { tree[path] = 1; });
  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(error.message(), HasSubstr("...' has more than 128 components"));
  EXPECT_EQ(tree.num_leaves(), 0u);
  tree[path.substr(0, 2 * kMaxTreeDepth - 1)] = 1;
  EXPECT_EQ(flatten(tree).size(), 1u);
}

TEST(Tree, FindsByPath) {
  const Tree<int> tree = example();
  EXPECT_EQ(tree.at("decoder/layers/w_q").value(), 2);
  EXPECT_EQ(tree.at("decoder").at("norm").value(), 4);
  EXPECT_EQ(tree.find("decoder/layers/w_x"), nullptr);
  EXPECT_FALSE(tree.at("decoder").is_leaf());
}

TEST(Tree, NamesWhatIsMissing) {
  Error error = thrown_by([] { example().at("decoder/layer/w_q"); });
  EXPECT_EQ(error.code(), ErrorCode::not_found);
  EXPECT_EQ(error.message(),
            "tree: there is no 'decoder/layer/w_q': 'decoder' has no 'layer'; did you mean "
            "'layers'?");
  EXPECT_THAT(thrown_by([] { example().at("embd"); }).message(),
              HasSubstr("the root has no 'embd'; did you mean 'embed'?"));
}

TEST(Tree, RejectsPathsThatCannotBe) {
  EXPECT_THAT(thrown_by([] { example()["decoder//norm"]; }).message(),
              HasSubstr("the path 'decoder//norm' has an empty component"));
  EXPECT_THAT(thrown_by([] { example()["embed/table"]; }).message(),
              HasSubstr("the parent of 'table' is a leaf"));
  EXPECT_THAT(thrown_by([] { example().at("decoder").value(); }).message(),
              HasSubstr("a node with 2 children has no value"));
}

TEST(Tree, UnflattenRejectsAPathThatAppearsTwice) {
  using Entries = std::vector<std::pair<std::string, int>>;
  EXPECT_THAT(thrown_by([] {
                unflatten(Entries{{"a", 1}, {"a", 2}});
              }).message(),
              HasSubstr("'a' appears twice"));
  EXPECT_THAT(thrown_by([] {
                unflatten(Entries{{"a/b", 1}, {"a", 2}});
              }).message(),
              HasSubstr("'a' appears twice"));
}

TEST(TreeMap, KeepsNamesAndMayChangeTheType) {
  Tree<std::string> text = map(example(), [](int value) { return str("#", value); });
  EXPECT_EQ(text.at("decoder/norm").value(), "#4");
  Tree<std::string> paths =
      map(example(), [](const std::string& path, int value) { return str(path, "=", value); });
  EXPECT_EQ(paths.at("decoder/layers/w_v").value(), "decoder/layers/w_v=3");
}

TEST(TreeMap, TakesSeveralTreesOfTheSameNames) {
  Tree<int> squares = map(example(), [](int value) { return value * value; });
  EXPECT_THAT(leaves(map(example(), squares, [](int a, int b) { return b - a; })),
              ElementsAre(2, 6, 12, 0));
  EXPECT_THAT(leaves(map(example(), squares, example(),
                         [](int a, int b, int c) { return a + b + 100 * c; })),
              ElementsAre(206, 312, 420, 102));
}

TEST(TreeMap, ListsEveryDifference) {
  Tree<int> other;
  other["decoder/layers/w_q"] = 2;
  other["decoder/norm/scale"] = 4;
  other["embed"] = 1;
  other["head"] = 9;
  Error error = thrown_by([&] { map(example(), other, [](int a, int) { return a; }); });
  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  EXPECT_EQ(error.message(),
            "tree: the first and the second differ in 3 places:\n"
            "  'decoder/layers/w_v' is in the first only\n"
            "  'decoder/norm' is a leaf in the first only\n"
            "  'head' is in the second only");
}

TEST(TreeDifferences, IncludeThoseOfLeaves) {
  Tree<int> other = example();
  other.at("embed") = 7;
  auto compare = [](int a, int b) { return a == b ? "" : str(a, " and ", b); };
  EXPECT_THAT(differences(example(), other, compare), ElementsAre("'embed': 1 and 7"));
  EXPECT_THAT(differences(example(), example(), compare), ElementsAre());
}

TEST(TreeWithLeaves, PutsValuesInOrder) {
  Tree<double> tree = with_leaves(example(), std::vector<double>{0.5, 1.5, 2.5, 3.5});
  EXPECT_EQ(tree.at("embed").value(), 3.5);
  EXPECT_THAT(thrown_by([] { with_leaves(example(), std::vector<int>{1}); }).message(),
              HasSubstr("1 values for 4 leaves"));
}

}  // namespace
}  // namespace meshwright
