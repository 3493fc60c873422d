// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/subcommands.h"

#include <iostream>

#include "meshwright/base/error.h"
#include "meshwright/base/nearest.h"
#include "meshwright/cli/exit_code.h"

namespace meshwright::cli {

int run_subcommand(const std::string& command,
                   const std::string& summary,
                   std::span<const Subcommand> subcommands,
                   const Args& args) {
  if (args.empty() || args[0] == "--help" || args[0] == "-h") {
    std::cout << "usage: meshwright " << command << " COMMAND ...\n\n" << summary << "\n\n";
    for (const Subcommand& sub : subcommands)
      std::cout << "  " << sub.name << std::string(12 - sub.name.size(), ' ') << sub.summary
                << "\n";
    std::cout << "\nfor details: meshwright " << command << " COMMAND --help\n";
    return static_cast<int>(args.empty() ? ExitCode::usage : ExitCode::done);
  }
  std::vector<std::string> names;
  for (const Subcommand& sub : subcommands) {
    if (sub.name == args[0]) return sub.run({args.begin() + 1, args.end()});
    names.emplace_back(sub.name);
  }
  const auto nearest = find_nearest(args[0], names);
  fail(ErrorCode::invalid_argument, "unknown command '", command, " ", args[0], "'\n",
       nearest ? str("did you mean: meshwright ", command, " ", *nearest)
               : str("see: meshwright ", command, " --help"));
}

}  // namespace meshwright::cli
