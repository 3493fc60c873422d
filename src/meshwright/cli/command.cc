// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/command.h"

#include <iostream>
#include <vector>

#include "meshwright/base/error.h"
#include "meshwright/base/nearest.h"
#include "meshwright/cli/exit_code.h"

namespace meshwright::cli {
namespace {

std::string program_and(const std::string& name) {
  return name.empty() ? "meshwright" : str("meshwright ", name);
}

}  // namespace

std::string full_name(const std::string& group, std::string_view command) {
  return group.empty() ? std::string(command) : str(group, " ", command);
}

const Command& find_command(const std::string& group_name,
                            const CommandGroup& group,
                            const std::string& name) {
  std::vector<std::string> names;
  for (const Command& command : group.commands) {
    if (command.name == name) return command;
    names.emplace_back(command.name);
  }
  const auto nearest = find_nearest(name, names);
  fail(ErrorCode::invalid_argument, "unknown command '", full_name(group_name, name), "'\n",
       nearest ? str("did you mean: ", program_and(full_name(group_name, *nearest)))
               : str("see: ", program_and(group_name), " --help"));
}

std::string help_text(const std::string& name, const CommandGroup& group) {
  constexpr std::size_t kColumn = 12;
  const bool is_program = name.empty();
  std::string text =
      str("usage: ", program_and(name), " COMMAND [ARGUMENT...]\n\n", group.description, "\n\n");
  for (const Command& command : group.commands) {
    const std::size_t gap = command.name.size() < kColumn ? kColumn - command.name.size() : 2;
    text += str("  ", command.name, std::string(gap, ' '), command.summary, "\n");
  }
  if (!is_program) return text + str("\nfor details: ", program_and(name), " COMMAND --help\n");
  return text + str("\n  COMMAND --help   describe a command and its options\n  ",
                    version_option().name, "        ", version_option().help, "\n");
}

int run_group(const std::string& name, const CommandGroup& group, const Args& args) {
  const bool asks_for_help =
      !args.empty() && (args[0] == help_option().name || args[0] == "-h" || args[0] == "help");
  if (asks_for_help && args.size() > 1 && args[0] == "help") {
    Args of_command(args.begin() + 1, args.end());
    of_command.push_back(help_option().name);
    return run_group(name, group, of_command);
  }
  if (args.empty() || asks_for_help) {
    std::cout << help_text(name, group);
    return static_cast<int>(args.empty() ? ExitCode::usage : ExitCode::done);
  }
  const Command& command = find_command(name, group, args[0]);
  const std::string inner_name = full_name(name, command.name);
  const Args rest(args.begin() + 1, args.end());
  if (command.group != nullptr) return run_group(inner_name, command.group(), rest);
  return command.body(inner_name)(rest);
}

}  // namespace meshwright::cli
