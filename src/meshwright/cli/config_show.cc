// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "meshwright/base/check.h"
#include "meshwright/cli/config_args.h"
#include "meshwright/cli/config_commands.h"
#include "meshwright/config/path.h"
#include "meshwright/config/toml_text.h"

namespace meshwright::cli {

namespace {

struct ConfigShowArgs {
  Args config;
  bool with_origins = false;

  void declare(ArgumentParser& parser) {
    parser.description(
        "Prints a config as a run resolves it, with base files and defaults. The output is itself "
        "a valid config.");
    parser.positionals(config, {"[CONFIG|RUN] [key.path=value...]", Offer::config},
                       "a TOML file, the name of one in configs/, or a run folder");
    parser.flag("--origins", with_origins, "print where each value was set");
  }
};

int show(const config::Type& type, const ConfigShowArgs& args) {
  const ConfigArgs split = split_config_args(args.config);
  MW_CHECK(split.names.size() <= 1, "config show: one config, not '", join(split.names, "' and '"),
           "'");
  const ResolvedConfig config =
      resolve_config(type, split.names.empty() ? kDefaultConfig : split.names[0], split.overrides);
  const config::Comment origin = [&](const std::string& path, const config::Node& /*value*/) {
    const auto parts = config::find_path_parts(path);
    const config::Node* written = parts ? config::find_node(config.written, *parts) : nullptr;
    return written == nullptr ? std::string("default") : to_string(written->origin);
  };
  std::cout << toml_document(*config.values.table(),
                             args.with_origins ? origin : config::Comment());
  return 0;
}

}  // namespace

CommandBody show_config(const std::string& name, const config::Type& type) {
  return make_command<ConfigShowArgs>(
      name, [&type](const ConfigShowArgs& args) { return show(type, args); });
}

}  // namespace meshwright::cli
