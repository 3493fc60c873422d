// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/config_args.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"
#include "meshwright/config/toml_text.h"

namespace meshwright::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr char kText[] = R"(
num_microbatches = 1
[mesh]
rules = [
  { selector = "pod-.*", axes = { data = 4 }, set = ["num_microbatches=2", "task.model.remat='full'"] },
  { selector = ".*", axes = { data = 2 }, set = ["num_microbatches=8"] },
  { selector = "never", axes = "none", set = ["num_microbatches=16"] },
]
)";

class MeshRuleOverrides : public testing::Test {
 protected:
  MeshRuleOverrides() { std::ofstream(file_) << kText; }
  ~MeshRuleOverrides() override { std::filesystem::remove(file_); }

  std::string value(const std::vector<std::string>& overrides,
                    const std::vector<std::string>& path) const {
    const config::Node tree = load_config_tree(file_, overrides);
    const config::Node* found = config::find_node(tree, path);
    return found == nullptr ? "none" : config::toml_value(*found);
  }

  std::string refusal() const {
    return message_of([&] { load_config_tree(file_, {}); });
  }

  std::filesystem::path file_ = std::filesystem::path(testing::TempDir()) / "mesh_rule_words.toml";
};

TEST_F(MeshRuleOverrides, AreThoseOfTheFirstRuleThatMatches) {
  const std::vector<std::string> num = {"num_microbatches"}, remat = {"task", "model", "remat"};
  EXPECT_EQ(value({}, num), "1");
  EXPECT_EQ(value({"mesh.selector=pod-4"}, num), "2");
  EXPECT_EQ(value({"mesh.selector=pod-4"}, remat), "\"full\"");
  EXPECT_EQ(value({"mesh.selector=never"}, num), "8");
  EXPECT_EQ(value({"mesh.selector=never"}, remat), "none");
}

TEST_F(MeshRuleOverrides, StandBackForTheCommandLine) {
  EXPECT_EQ(value({"mesh.selector=pod-4", "num_microbatches=3"}, {"num_microbatches"}), "3");
  EXPECT_EQ(value({"mesh.selector=pod-4", "mesh.rules=[]"}, {"num_microbatches"}), "1");
}

TEST_F(MeshRuleOverrides, WhatIsWrongWithOneIsToldWithItsPlaceInTheFile) {
  std::ofstream(file_) << "[mesh]\nselector = 'pod'\n[[mesh.rules]]\nselector = 'pod'\n"
                          "set = ['seed=1',\n       'num_microbatchs']\n";
  EXPECT_THAT(refusal(), AllOf(HasSubstr("mesh_rule_words.toml:6:8: expected key.path=value"),
                               HasSubstr("'num_microbatchs'"), Not(HasSubstr("command line"))));
}

TEST_F(MeshRuleOverrides, HaveTheirPlaceInTheFileWithTheTree) {
  const config::Node tree = load_config_tree(file_, {"mesh.selector=pod-4"});
  const config::Node* value = config::find_node(tree, {"num_microbatches"});
  ASSERT_NE(value, nullptr);
  EXPECT_THAT(config::to_string(value->origin), HasSubstr("mesh_rule_words.toml:"));
  EXPECT_THAT(config::to_string(value->key_origin), HasSubstr("mesh_rule_words.toml:"));
}

TEST(LoadNamedTree, NamesARunFolderThatDoesNotExist) {
  EXPECT_THAT(message_of([] { load_named_tree("runs/nope", {}); }),
              AllOf(HasSubstr("there is no run folder runs/nope: "), HasSubstr("config")));
  EXPECT_THAT(message_of([] { load_named_tree("nope", {}); }), Not(HasSubstr("run folder")));
}

}  // namespace
}  // namespace meshwright::cli
