// SPDX-License-Identifier: Apache-2.0
// What the commands for one run have in common: [CONFIG|RUN] [key.path=value...].
#pragma once

#include <string_view>

#include "meshwright/cli/arguments.h"
#include "meshwright/cli/run_config.h"

namespace meshwright::cli {

/// The config in a run folder, as train::RunFolder writes it.
inline constexpr char kConfigOfRun[] = "config.toml";

/// Declares these words and says what they may be.
void declare_run_config(ArgumentParser& parser, Args& args);

/// The config that is named: a file, the name of one in configs/, or the folder of a run, whose own
/// config it is then, wherever that folder is now; nothing: the default one. Throws
/// invalid_argument with all mistakes, not_found with the nearest name.
RunConfig load_run_config(std::string_view command, const Args& args);

}  // namespace meshwright::cli
