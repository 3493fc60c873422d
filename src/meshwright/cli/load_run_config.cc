// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/load_run_config.h"

#include "meshwright/base/check.h"
#include "meshwright/cli/config_args.h"
#include "meshwright/config/config.h"

namespace meshwright::cli {

RunConfig load_config_of_run(const std::filesystem::path& folder,
                             const std::vector<std::string>& overrides) {
  return config::from_tree<RunConfig>(load_tree_of_run(folder, overrides));
}

void declare_run_config(ArgumentParser& parser, Args& args) {
  parser.positionals(args, {"[CONFIG|RUN] [key.path=value...]", Offer::config},
                     "a TOML file, the name of one in configs/, or a run folder; then overrides "
                     "(default config: arithmetic_lm)");
}

config::Node load_run_tree(std::string_view command, const Args& args) {
  const ConfigArgs split = split_config_args(args);
  MW_CHECK(split.names.size() <= 1, command, ": takes one config, not '",
           join(split.names, "' and '"), "'");
  const std::string name = split.names.empty() ? kDefaultConfig : split.names[0];
  return load_named_tree(name, split.overrides);
}

RunConfig load_run_config(std::string_view command, const Args& args) {
  return config::from_tree<RunConfig>(load_run_tree(command, args));
}

}  // namespace meshwright::cli
