// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/man_page.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/cli/commands.h"

namespace meshwright::cli {
namespace {

using testing::HasSubstr;

std::string page(const std::string& name) {
  const std::vector<ManPage> pages = man_pages(commands());
  const auto found = std::ranges::find(pages, name, &ManPage::name);
  EXPECT_NE(found, pages.end()) << name;
  return found == pages.end() ? "" : found->roff;
}

TEST(ManPages, AreOneForEachCommandAndGroup) {
  std::size_t expected = 1 + commands().commands.size();
  for (const Command& command : commands().commands)
    if (command.group != nullptr) expected += command.group().commands.size();
  EXPECT_EQ(man_pages(commands()).size(), expected);
}

TEST(ManPages, HaveTheOptionsOfTheCommand) {
  const std::string train = page("meshwright-train");
  EXPECT_THAT(train, HasSubstr("meshwright\\-train \\- train a model\n"));
  EXPECT_THAT(train, HasSubstr(".TP\n\\fB\\-\\-plugin\\fR \\fIPATH\\fR\nPJRT plugin to load\n"));
  EXPECT_THAT(train, HasSubstr("meshwright train shapes_vit max_step=300\n"));
}

TEST(ManPages, OfGroupsListTheirCommands) {
  EXPECT_THAT(page("meshwright-ckpt"), HasSubstr(".TP\n\\fBunpin\\fR\nundo pin.\n"));
  EXPECT_THAT(page("meshwright-ckpt"), HasSubstr(".BR meshwright\\-ckpt\\-gc (1)"));
}

TEST(ManPages, OfTheProgramExplainsExitCodes) {
  EXPECT_THAT(page("meshwright"), HasSubstr("\\fB75\\fR\n"));
}

CommandBody odd(const std::string& name) {
  struct OddArgs {
    void declare(ArgumentParser& parser) {
      parser.description(".dots, 'quotes', back\\slashes and `code-words`");
    }
  };
  return make_command<OddArgs>(name, [](const OddArgs&) { return 0; });
}

TEST(ManPages, EscapeWhatRoffWouldInterpret) {
  const Command command{"odd", "is odd", odd};
  const std::vector<ManPage> pages = man_pages({"Odd.", std::span(&command, 1)});
  EXPECT_THAT(pages.at(1).roff,
              HasSubstr("\n\\&.dots, \\(aqquotes\\(aq, back\\eslashes and \\fBcode\\-words\\fR\n"));
}

}  // namespace
}  // namespace meshwright::cli
