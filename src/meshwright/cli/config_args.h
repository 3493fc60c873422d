// SPDX-License-Identifier: Apache-2.0
// The arguments [CONFIG|RUN] [key.path=value...] of commands that take a config.
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

/// Splits arguments: those that contain '=' are overrides, unless a file has that name.
struct ConfigArgs {
  std::vector<std::string> names;
  std::vector<std::string> overrides;
};
ConfigArgs split_config_args(const Args& args);

/// A config, both as written and with every key filled in.
struct ResolvedConfig {
  config::Node written;  // from files and overrides, with their locations
  config::Node values;   // every key
};

/// Loads a file, then applies the settings of the mesh rule that mesh.selector matches, then the
/// overrides.
config::Node load_config_tree(const std::filesystem::path& file,
                              const std::vector<std::string>& overrides);

/// Loads the config in a run folder, with overrides applied. Sets `dir` to the folder. Throws
/// invalid_argument if the folder has no config.
config::Node load_tree_of_run(const std::filesystem::path& folder,
                              const std::vector<std::string>& overrides);

/// Loads the config that `name` refers to: a file, the name of a config, or a run folder. Accepts
/// keys of earlier versions. Throws not_found, suggesting the nearest name, if there is no such
/// config.
config::Node load_named_tree(const std::string& name, const std::vector<std::string>& overrides);

/// Applies `change` to the config object and returns the result with every key.
config::Node changed_values(const config::Type& type,
                            const ResolvedConfig& config,
                            const std::function<void(void*)>& change);

/// Reads the config that `name` refers to, like load_named_tree(). Throws invalid_argument, listing
/// every mistake in it.
ResolvedConfig resolve_config(const config::Type& type,
                              const std::string& name,
                              const std::vector<std::string>& overrides);

}  // namespace meshwright::cli
