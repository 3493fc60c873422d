// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/cli/commands.h"

namespace meshwright::cli {

/// The whole program: finds the subcommand named by the first word, runs it, and turns what it
/// throws into a message on stderr and an exit code.
int dispatch(const Args& args, std::span<const Command> commands);

}  // namespace meshwright::cli
