// SPDX-License-Identifier: Apache-2.0
// The subcommands of `meshwright config`. They work on any type that is a table; the program passes
// RunConfig.
#pragma once

#include <string>
#include <vector>

#include "meshwright/cli/command.h"
#include "meshwright/config/node.h"
#include "meshwright/config/type.h"

namespace meshwright::cli {

/// Fills in the values that a config leaves open. Returns what chose them, for messages.
using Settle = std::string (*)(void* config);
/// Returns more lines about the key at `path`. `values` are those of a config, or null.
using KeyNotes = std::vector<std::string> (*)(const std::string& path, const config::Node* values);

CommandBody show_config(const std::string& name, const config::Type& type);
/// The command's exit code is 1 if the configs differ.
CommandBody diff_configs(const std::string& name, const config::Type& type);
CommandBody explain_config(const std::string& name,
                           const config::Type& type,
                           Settle settle,
                           KeyNotes notes = nullptr);
CommandBody print_config_schema(const std::string& name, const config::Type& type);
CommandBody print_config_docs(const std::string& name, const config::Type& type);

}  // namespace meshwright::cli
