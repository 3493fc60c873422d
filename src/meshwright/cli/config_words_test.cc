// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/config_words.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "meshwright/config/toml_text.h"

namespace meshwright::cli {
namespace {

constexpr char kText[] = R"(
num_microbatches = 1
[mesh]
rules = [
  { selector = "pod-.*", axes = { data = 4 }, set = ["num_microbatches=2", "task.model.remat='full'"] },
  { selector = ".*", axes = { data = 2 }, set = ["num_microbatches=8"] },
  { selector = "never", axes = "none", set = ["num_microbatches=16"] },
]
)";

class MeshRuleWords : public testing::Test {
 protected:
  MeshRuleWords() { std::ofstream(file_) << kText; }
  ~MeshRuleWords() override { std::filesystem::remove(file_); }

  std::string value(const std::vector<std::string>& overrides,
                    const std::vector<std::string>& path) const {
    const config::Node tree = load_config_tree(file_, overrides);
    const config::Node* found = config::find_node(tree, path);
    return found == nullptr ? "none" : config::toml_value(*found);
  }

  std::filesystem::path file_ = std::filesystem::path(testing::TempDir()) / "mesh_rule_words.toml";
};

TEST_F(MeshRuleWords, AreThoseOfTheFirstRuleThatMatches) {
  const std::vector<std::string> num = {"num_microbatches"}, remat = {"task", "model", "remat"};
  EXPECT_EQ(value({}, num), "1");
  EXPECT_EQ(value({"mesh.selector=pod-4"}, num), "2");
  EXPECT_EQ(value({"mesh.selector=pod-4"}, remat), "\"full\"");
  EXPECT_EQ(value({"mesh.selector=never"}, num), "8");
  EXPECT_EQ(value({"mesh.selector=never"}, remat), "none");
}

TEST_F(MeshRuleWords, StandBackForTheCommandLine) {
  EXPECT_EQ(value({"mesh.selector=pod-4", "num_microbatches=3"}, {"num_microbatches"}), "3");
  EXPECT_EQ(value({"mesh.selector=pod-4", "mesh.rules=[]"}, {"num_microbatches"}), "1");
}

}  // namespace
}  // namespace meshwright::cli
