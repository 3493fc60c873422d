// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>

#include "meshwright/base/check.h"
#include "meshwright/cli/commands.h"
#include "meshwright/cli/man_page.h"

namespace meshwright::cli {
namespace {

struct ManArgs {
  Args command;
  std::optional<std::string> folder;

  void declare(ArgumentParser& parser) {
    parser.description(
        "Prints the man page of a command in roff, or writes the pages of all commands to a "
        "folder. The pages are installed with Meshwright.");
    parser.positionals(command, {"[COMMAND...]", Offer::commands},
                       "the words of a command (default: the page of meshwright itself)");
    parser.option("--folder", folder, {"PATH", Offer::folders},
                  "write all pages into this folder, which is created if missing");
    parser.example("ckpt show | man -l -");
    parser.example("--folder ~/.local/share/man/man1");
  }
};

void write_page(const std::filesystem::path& file, const ManPage& page) {
  std::ofstream out(file, std::ios::binary);
  out << page.roff;
  out.close();
  if (!out) fail(ErrorCode::unavailable, "man: cannot write ", file.string());
}

void write_pages(const std::filesystem::path& folder, const std::vector<ManPage>& pages) {
  std::filesystem::create_directories(folder);
  for (const ManPage& page : pages)
    write_page(folder / (page.name + ".1"), page);
}

int print_page(const ManArgs& args) {
  const std::vector<ManPage> pages = man_pages(commands());
  if (args.folder) {
    MW_CHECK(args.command.empty(), "man: --folder writes the pages of all commands");
    write_pages(*args.folder, pages);
    return 0;
  }
  Args words = {"meshwright"};
  words.insert(words.end(), args.command.begin(), args.command.end());
  const auto found = std::ranges::find(pages, join(words, "-"), &ManPage::name);
  MW_CHECK(found != pages.end(), "man: there is no command '", join(args.command, " "),
           "'\nsee: meshwright --help");
  std::cout << found->roff;
  return 0;
}

}  // namespace

CommandBody man_command(const std::string& name) {
  return make_command<ManArgs>(name, print_page);
}

}  // namespace meshwright::cli
