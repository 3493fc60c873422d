// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "meshwright/base/check.h"
#include "meshwright/cli/commands.h"
#include "meshwright/cli/completion_script.h"

namespace meshwright::cli {
namespace {

struct CompletionArgs {
  Args shells;
  std::string program = "meshwright";

  void declare(ArgumentParser& parser) {
    parser.description(
        "Prints a script that makes a shell complete commands, options, names of configs, config "
        "keys and their values. The scripts are installed with Meshwright.");
    parser.positionals(shells, one_of(completion_shells()), "the shell");
    parser.option("--command", program, {"NAME"},
                  "complete this command instead of meshwright, such as an alias");
    parser.example("bash > ~/.local/share/bash-completion/completions/meshwright");
    parser.example("zsh > ~/.zfunc/_meshwright");
    parser.example("fish > ~/.config/fish/completions/meshwright.fish");
  }
};

int print_script(const CompletionArgs& args) {
  MW_CHECK(args.shells.size() == 1,
           "completion: takes the name of one shell\nsee: ", "meshwright completion --help");
  std::cout << completion_script(args.shells[0], args.program);
  return 0;
}

}  // namespace

CommandBody completion_command(const std::string& name) {
  return make_command<CompletionArgs>(name, print_script);
}

}  // namespace meshwright::cli
