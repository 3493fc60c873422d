// SPDX-License-Identifier: Apache-2.0
// The arguments [CONFIG] [key.path=value...] of commands that take a config.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "meshwright/cli/arguments.h"
#include "meshwright/config/node.h"
#include "meshwright/config/type.h"

namespace meshwright::cli {

/// The config used when none is named.
inline constexpr char kDefaultConfig[] = "arithmetic_lm";

/// Splits arguments: those with a '=' are overrides, unless a file has that name.
struct ConfigArgs {
  std::vector<std::string> names;
  std::vector<std::string> overrides;
};
ConfigArgs split_config_args(const Args& args);

/// A config as written and with every key.
struct ResolvedConfig {
  std::filesystem::path file;
  config::Node written;  // from files and overrides, with their places
  config::Node values;   // every key
};

/// Loads a file, applies the settings of the mesh rule that mesh.selector matches, then the
/// overrides.
config::Node load_config_tree(const std::filesystem::path& file,
                              const std::vector<std::string>& overrides);

/// Returns every key after `change` has been applied to the config object.
config::Node changed_values(const config::Type& type,
                            const ResolvedConfig& config,
                            const std::function<void(void*)>& change);

/// Reads a config by file or name. Throws invalid_argument with every mistake in it.
ResolvedConfig resolve_config(const config::Type& type,
                              const std::string& name,
                              const std::vector<std::string>& overrides);

}  // namespace meshwright::cli
