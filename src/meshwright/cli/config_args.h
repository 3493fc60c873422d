// SPDX-License-Identifier: Apache-2.0
// What the commands that take a config have in common: [CONFIG] [key.path=value...].
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

/// The config that is meant when none is named.
inline constexpr char kDefaultConfig[] = "arithmetic_lm";

/// Arguments told apart: those with a '=' are overrides, unless they are files.
struct ConfigArgs {
  std::vector<std::string> names;
  std::vector<std::string> overrides;
};
ConfigArgs split_config_args(const Args& args);

/// A config as it was read and as it is.
struct ResolvedConfig {
  std::filesystem::path file;
  config::Node written;  // what files and command line say, with places
  config::Node values;   // every key
};

/// A file with words over it, and between them what the mesh rule sets that its mesh.selector
/// matches.
config::Node load_config_tree(const std::filesystem::path& file,
                              const std::vector<std::string>& overrides);

/// Every key as it is after somebody has changed the config in memory.
config::Node changed_values(const config::Type& type,
                            const ResolvedConfig& config,
                            const std::function<void(void*)>& change);

/// Reads a config of a type, by file or name. Throws with everything that is wrong in it.
ResolvedConfig resolve_config(const config::Type& type,
                              const std::string& name,
                              const std::vector<std::string>& overrides);

}  // namespace meshwright::cli
