// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "meshwright/cli/commands.h"
#include "meshwright/cli/config_commands.h"
#include "meshwright/cli/preset.h"
#include "meshwright/cli/run_config.h"

namespace meshwright::cli {
namespace {

template <CommandBody (*body)(const std::string&, const config::Type&)>
CommandBody of_runs(const std::string& name) {
  return body(name, config::type_of<RunConfig>());
}

std::string settle_run(void* config) {
  RunConfig& run = *static_cast<RunConfig*>(config);
  run = with_preset(std::move(run));
  return run.preset ? str("preset \"", run.preset->name, "\"") : "the trainer";
}

CommandBody explain_run(const std::string& name) {
  return explain_config(name, config::type_of<RunConfig>(), settle_run);
}

constexpr Command kCommands[] = {
    {"show", "print a config with every key", of_runs<show_config>},
    {"diff", "compare two configs; exit code 1 if they differ", of_runs<diff_configs>},
    {"explain", "explain a key: meaning, type, default, value", explain_run},
    {"schema", "print a JSON Schema for editors", of_runs<print_config_schema>},
    {"docs", "print docs/config.md, the reference of all keys", of_runs<print_config_docs>},
};

}  // namespace

const CommandGroup& config_commands() {
  static constexpr CommandGroup kGroup{"Inspects configs without running them.", kCommands};
  return kGroup;
}

}  // namespace meshwright::cli
