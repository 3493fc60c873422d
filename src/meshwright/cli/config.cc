// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include "meshwright/cli/commands.h"
#include "meshwright/cli/config_commands.h"
#include "meshwright/cli/preset.h"
#include "meshwright/cli/run_config.h"
#include "meshwright/config/path.h"
#include "meshwright/runtime/platform_flags.h"

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

// Returns the flags that are set without being in the config: for its platform, or for all.
std::vector<std::string> notes_on_flags(const std::string& path, const config::Node* values) {
  if (path != "mesh.xla_flags") return {};
  const config::Node* platform =
      values == nullptr ? nullptr
                        : config::find_node(*values, *config::find_path_parts("mesh.platform"));
  std::vector<std::string> out;
  for (const runtime::PlatformFlag& flag : runtime::platform_flags()) {
    if (platform != nullptr && *platform->string() != flag.platform) continue;
    if (out.empty()) out.emplace_back("set unless you set them");
    out.push_back(str("  ", flag.platform, "  ", to_string(flag)));
    out.push_back(str("        ", flag.reason));
  }
  return out;
}

CommandBody explain_run(const std::string& name) {
  return explain_config(name, config::type_of<RunConfig>(), settle_run, notes_on_flags);
}

constexpr Command kConfigCommands[] = {
    {"show", "print a config with every key", of_runs<show_config>},
    {"diff", "compare two configs; exit code 1 if they differ", of_runs<diff_configs>},
    {"explain", "explain a key: meaning, type, default, value", explain_run},
    {"schema", "print a JSON Schema for editors", of_runs<print_config_schema>},
    {"docs", "print docs/config.md, the reference of all keys", of_runs<print_config_docs>},
};

}  // namespace

const CommandGroup& config_commands() {
  static constexpr CommandGroup kGroup{"Inspects configs without running them.", kConfigCommands};
  return kGroup;
}

}  // namespace meshwright::cli
