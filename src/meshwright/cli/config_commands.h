// SPDX-License-Identifier: Apache-2.0
// The subcommands of `meshwright config`. Each works on any type that is a table; run_config gives
// them the one of a run.
#pragma once

#include <string>

#include "meshwright/cli/arguments.h"
#include "meshwright/config/type.h"

namespace meshwright::cli {

/// Puts into a config of that type what holds where it leaves something open, and says who decided.
using Settle = std::string (*)(void* config);

int show_config(const config::Type& type, const Args& args);
/// 1 if there is a difference.
int diff_configs(const config::Type& type, const Args& args);
int explain_config(const config::Type& type, const Args& args, Settle settle);
int print_config_schema(const config::Type& type, const Args& args);
int print_config_docs(const config::Type& type, const Args& args);

}  // namespace meshwright::cli
