// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "meshwright/base/error.h"
#include "meshwright/base/nearest.h"
#include "meshwright/cli/commands.h"
#include "meshwright/cli/config_commands.h"
#include "meshwright/cli/exit_code.h"
#include "meshwright/cli/run_config.h"

namespace meshwright::cli {
namespace {

struct ConfigCommand {
  std::string_view name;
  std::string_view summary;
  int (*run)(const config::Type& type, const Words& words);
};

constexpr ConfigCommand kConfigCommands[] = {
    {"show", "print a config with every key and its value", show_config},
    {"diff", "print in what two configs differ; exit code 1 if they do", diff_configs},
    {"explain", "say what a key means, takes and is set to", explain_config},
    {"schema", "print the JSON Schema of configs, for editors", print_config_schema},
    {"docs", "print docs/config.md: every key there is", print_config_docs},
};

std::string help() {
  std::string text =
      "usage: meshwright config COMMAND ...\n\nReads configs without running them.\n\n";
  for (const ConfigCommand& command : kConfigCommands)
    text +=
        str("  ", command.name, std::string(12 - command.name.size(), ' '), command.summary, "\n");
  return text + "\neach says more: meshwright config COMMAND --help\n";
}

}  // namespace

int run_config(const Words& words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h") {
    std::cout << help();
    return static_cast<int>(words.empty() ? ExitCode::usage : ExitCode::done);
  }
  std::vector<std::string> names;
  for (const ConfigCommand& command : kConfigCommands) {
    if (command.name == words[0])
      return command.run(config::type_of<RunConfig>(), {words.begin() + 1, words.end()});
    names.emplace_back(command.name);
  }
  const auto nearest = find_nearest(words[0], names);
  fail(ErrorCode::invalid_argument, "unknown command 'config ", words[0], "'\n",
       nearest ? str("did you mean: meshwright config ", *nearest)
               : "see: meshwright config --help");
}

}  // namespace meshwright::cli
