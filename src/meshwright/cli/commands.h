// SPDX-License-Identifier: Apache-2.0
// The subcommands. A new one is a file of its own, a declaration here and a row in commands.cc.
#pragma once

#include <string>

#include "meshwright/cli/command.h"

namespace meshwright::cli {

/// Returns the program: every subcommand.
const CommandGroup& commands();

const CommandGroup& ckpt_commands();
const CommandGroup& config_commands();

CommandBody completion_command(const std::string& name);
CommandBody doctor_command(const std::string& name);
CommandBody eval_command(const std::string& name);
CommandBody generate_command(const std::string& name);
CommandBody man_command(const std::string& name);
CommandBody profile_command(const std::string& name);
CommandBody train_command(const std::string& name);

}  // namespace meshwright::cli
