// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "meshwright/cli/commands.h"
#include "meshwright/cli/config_commands.h"
#include "meshwright/cli/preset.h"
#include "meshwright/cli/run_config.h"
#include "meshwright/cli/subcommands.h"

namespace meshwright::cli {
namespace {

std::function<int(const Args&)> of_runs(int (*run)(const config::Type& type, const Args& args)) {
  return [run](const Args& args) { return run(config::type_of<RunConfig>(), args); };
}

std::string settle_run(void* config) {
  RunConfig& run = *static_cast<RunConfig*>(config);
  run = with_preset(std::move(run));
  return run.preset ? str("preset \"", run.preset->name, "\"") : "the trainer";
}

int explain_run(const Args& args) {
  return explain_config(config::type_of<RunConfig>(), args, settle_run);
}

}  // namespace

int config_command(const Args& args) {
  const Subcommand subcommands[] = {
      {"show", "print a config with every key", of_runs(show_config)},
      {"diff", "compare two configs; exit code 1 if they differ", of_runs(diff_configs)},
      {"explain", "explain a key: meaning, type, default, value", explain_run},
      {"schema", "print a JSON Schema for editors", of_runs(print_config_schema)},
      {"docs", "print docs/config.md, the reference of all keys", of_runs(print_config_docs)},
  };
  return run_subcommand("config", "Inspects configs without running them.", subcommands, args);
}

}  // namespace meshwright::cli
