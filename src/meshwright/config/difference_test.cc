// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/str.h"
#include "meshwright/config/parse_toml.h"
#include "meshwright/config/toml_text.h"

namespace meshwright::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Node tree(const std::string& toml) {
  return parse_toml(std::make_shared<const Source>(Source{"test", toml}));
}

std::vector<std::string> lines(const std::string& left, const std::string& right) {
  const Node a = tree(left), b = tree(right);
  std::vector<std::string> out;
  auto text = [](const Node* node) { return node == nullptr ? "-" : toml_value(*node); };
  for (const Difference& found : differences(a, b))
    out.push_back(str(found.path, ": ", text(found.left), " / ", text(found.right)));
  return out;
}

TEST(Differences, AreFoundInTablesAndListsOfEqualLength) {
  EXPECT_THAT(lines("a = 1\nb = {c = 2, d = 3}", "a = 1\nb = {c = 2, d = 4}"),
              ElementsAre("b.d: 3 / 4"));
  EXPECT_THAT(lines("a = [{n = 1}, {n = 2}]", "a = [{n = 1}, {n = 3}]"),
              ElementsAre("a.1.n: 2 / 3"));
  EXPECT_THAT(lines("a = [1]", "a = [1, 2]"), ElementsAre("a: [1] / [1, 2]"));
  EXPECT_THAT(lines("a = {n = 1}", "a = [{n = 1}]"), ElementsAre("a: { n = 1 } / [{ n = 1 }]"));
}

TEST(Differences, SayWhatOneTreeLacks) {
  EXPECT_THAT(lines("a = 1\nb = 2", "b = 2\n\"c.d\" = 3"),
              ElementsAre("a: 1 / -", "\"c.d\": - / 3"));
  EXPECT_THAT(lines("a = nan", "a = nan"), IsEmpty());
}

}  // namespace
}  // namespace meshwright::config
