// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/cli/config_args.h"
#include "meshwright/cli/config_commands.h"
#include "meshwright/cli/exit_code.h"
#include "meshwright/config/difference.h"
#include "meshwright/config/toml_text.h"

namespace meshwright::cli {
namespace {

void print(const config::Difference& difference) {
  std::cout << difference.path << "\n";
  if (difference.left != nullptr) std::cout << "  - " << toml_value(*difference.left) << "\n";
  if (difference.right != nullptr) std::cout << "  + " << toml_value(*difference.right) << "\n";
}

struct ConfigDiffArgs {
  Args configs;

  void declare(ArgumentParser& parser) {
    parser.description(
        "Prints the keys that differ between two configs, after base files and defaults. With one "
        "config, prints what the overrides change. A run folder stands for its config.");
    parser.positionals(configs, {"A [B] [key.path=value...]", Offer::two_configs},
                       "TOML files, names in configs/ or run folders; overrides of B");
  }
};

int diff(const config::Type& type, const ConfigDiffArgs& args) {
  const ConfigArgs split = split_config_args(args.configs);
  const bool is_enough =
      split.names.size() == 2 || (split.names.size() == 1 && !split.overrides.empty());
  MW_CHECK(is_enough, "config diff: takes two configs, or one and overrides, not ",
           split.names.size(), " and ", split.overrides.size(),
           "\nsee: meshwright config diff --help");
  const ResolvedConfig left = resolve_config(type, split.names.front(), {});
  const ResolvedConfig right = resolve_config(type, split.names.back(), split.overrides);
  const std::vector<config::Difference> found = differences(left.values, right.values);
  for (const config::Difference& difference : found)
    print(difference);
  return static_cast<int>(found.empty() ? ExitCode::done : ExitCode::no);
}

}  // namespace

CommandBody diff_configs(const std::string& name, const config::Type& type) {
  return make_command<ConfigDiffArgs>(
      name, [&type](const ConfigDiffArgs& args) { return diff(type, args); });
}

}  // namespace meshwright::cli
