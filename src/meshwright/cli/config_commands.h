// SPDX-License-Identifier: Apache-2.0
// The subcommands of `meshwright config`. They work on any type that is a table; the program passes
// RunConfig.
#pragma once

#include <string>

#include "meshwright/cli/command.h"
#include "meshwright/config/type.h"

namespace meshwright::cli {

/// Fills in the values that a config leaves open. Returns what chose them, for messages.
using Settle = std::string (*)(void* config);

CommandBody show_config(const std::string& name, const config::Type& type);
/// The command's exit code is 1 if the configs differ.
CommandBody diff_configs(const std::string& name, const config::Type& type);
CommandBody explain_config(const std::string& name, const config::Type& type, Settle settle);
CommandBody print_config_schema(const std::string& name, const config::Type& type);
CommandBody print_config_docs(const std::string& name, const config::Type& type);

}  // namespace meshwright::cli
