// SPDX-License-Identifier: Apache-2.0
// The arguments [CONFIG|RUN] [key.path=value...] of commands that work on one run.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/cli/arguments.h"
#include "meshwright/cli/run_config.h"
#include "meshwright/config/node.h"

namespace meshwright::cli {

/// Loads the config in a run folder, with overrides applied. Throws invalid_argument if the folder
/// has no config.
RunConfig load_config_of_run(const std::filesystem::path& folder,
                             const std::vector<std::string>& overrides = {});

/// Declares the arguments [CONFIG|RUN] [key.path=value...].
void declare_run_config(ArgumentParser& parser, Args& args);

/// Loads the tree of a config, as load_run_config() does.
config::Node load_run_tree(std::string_view command, const Args& args);

/// Loads the config that the arguments name: a file, the name of a config, a run folder (its own
/// config, even if the folder has moved) or by default kDefaultConfig. Throws invalid_argument,
/// listing every mistake in the config, or not_found, suggesting the nearest name.
RunConfig load_run_config(std::string_view command, const Args& args);

}  // namespace meshwright::cli
