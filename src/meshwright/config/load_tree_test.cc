// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/load_tree.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"
#include "meshwright/base/str.h"
#include "meshwright/config/find_config.h"
#include "meshwright/config/toml_text.h"

namespace meshwright::config {
namespace {

using testing::HasSubstr;

class LoadTree : public testing::Test {
 protected:
  void SetUp() override {
    folder = std::filesystem::path(testing::TempDir()) /
             testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder / "_base");
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name, std::ios::binary) << text;
  }
  std::string loaded(const std::string& name) const {
    return toml_document(*load_file(folder / name).table());
  }
  std::string error_of(const std::string& name) const {
    std::string text = message_of([&] { load_file(folder / name); });
    const std::string prefix = folder.string() + "/";
    for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
      text.erase(at, prefix.size());
    return text;
    return "no error";
  }

  std::filesystem::path folder;
};

TEST_F(LoadTree, LaysAFileOverItsBases) {
  write("_base/grand.toml", "a = 1\nb = 1\n[t]\nx = 1\ny = [1, 2]\n");
  write("_base/parent.toml", "base = \"grand.toml\"\nb = 2\nt.y = [3]\n");
  write("child.toml", "base = \"_base/parent.toml\"\nc = 3\n[t]\nz = 4\n");
  EXPECT_EQ(loaded("child.toml"), "a = 1\nb = 2\nc = 3\n\n[t]\nx = 1\ny = [3]\nz = 4\n");
}

TEST_F(LoadTree, RemembersWhichFileSetAValue) {
  write("a.toml", "x = 1\ny = 1\n");
  write("b.toml", "base = \"a.toml\"\ny = 2\n");
  const Node tree = load_file(folder / "b.toml");
  EXPECT_EQ(to_string(tree.table()->find("x")->origin), (folder / "a.toml").string() + ":1:5");
  EXPECT_EQ(to_string(tree.table()->find("y")->origin), (folder / "b.toml").string() + ":2:5");
}

TEST_F(LoadTree, ATableOfAnotherTypeReplaces) {
  write("a.toml", "[o]\ntype = \"adam\"\nb1 = 1\n[p]\ntype = \"x\"\nq = 1\n");
  write("b.toml", "base = \"a.toml\"\n[o]\ntype = \"sgd\"\n[p]\ntype = \"x\"\n");
  EXPECT_EQ(loaded("b.toml"), "[o]\ntype = \"sgd\"\n\n[p]\ntype = \"x\"\nq = 1\n");
}

TEST_F(LoadTree, RefusesCircles) {
  write("a.toml", "base = \"b.toml\"");
  write("b.toml", "base = \"_base/../a.toml\"");
  EXPECT_EQ(error_of("a.toml"), "circular base: a.toml -> b.toml -> a.toml");
  write("self.toml", "base = \"self.toml\"");
  EXPECT_EQ(error_of("self.toml"), "circular base: self.toml -> self.toml");
}

TEST_F(LoadTree, NamesTheNearestFileForAMissingBase) {
  write("_base/decoder.toml", "");
  write("a.toml", "\nbase = \"_base/decodr.toml\"");
  EXPECT_EQ(error_of("a.toml"),
            "a.toml:2:8: base: no file _base/decodr.toml; did you mean 'decoder.toml'?");
  write("b.toml", "base = 3");
  EXPECT_EQ(error_of("b.toml"), "b.toml:1:8: base must be the path of a file, in quotes");
}

TEST_F(LoadTree, RefusesFoldersAndHugeFiles) {
  EXPECT_EQ(error_of("_base"), "_base is a folder, not a config");
  write("huge.toml", std::string(std::size_t{5} << 20, '#'));
  EXPECT_THAT(error_of("huge.toml"), HasSubstr("is larger than"));
}

TEST_F(LoadTree, FindsConfigsByName) {
  write("lm.toml", "");
  write("_base/lm_base.toml", "");
  std::filesystem::create_directories(folder / "vision");
  write("vision/vit.toml", "");
  const std::vector<std::filesystem::path> folders = {folder};
  EXPECT_EQ(find_config("lm", folders), folder / "lm.toml");
  EXPECT_EQ(find_config("lm.toml", folders), folder / "lm.toml");
  EXPECT_EQ(find_config("vision/vit", folders), folder / "vision/vit.toml");
  EXPECT_EQ(find_config((folder / "lm.toml").string(), {}), folder / "lm.toml");
  for (const auto& [name, nearest] :
       {std::pair("ml", "'lm'"), std::pair("vision/vti", "'vision/vit'")}) {
    const Error error = thrown_by([&, wrong = name] { find_config(wrong, folders); });
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_THAT(error.message(), HasSubstr(str("did you mean ", nearest, "?")));
  }
}

}  // namespace
}  // namespace meshwright::config
