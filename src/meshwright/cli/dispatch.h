// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/cli/command.h"

namespace meshwright::cli {

/// Runs the program with these arguments. Converts an exception into a message on stderr and an
/// exit code.
int dispatch(const Args& args, const CommandGroup& program);

}  // namespace meshwright::cli
