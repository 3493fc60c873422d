// SPDX-License-Identifier: Apache-2.0
// The subcommands. To add one, write it in its own file, declare it here and add a row to
// commands.cc.
#pragma once

#include <string>

#include "meshwright/cli/command.h"

namespace meshwright::cli {

/// Returns the top-level command group, which contains every subcommand.
const CommandGroup& commands();

const CommandGroup& ckpt_commands();
const CommandGroup& config_commands();
const CommandGroup& data_commands();

CommandBody compile_command(const std::string& name);
CommandBody completion_command(const std::string& name);
CommandBody doctor_command(const std::string& name);
CommandBody eval_command(const std::string& name);
CommandBody generate_command(const std::string& name);
CommandBody man_command(const std::string& name);
CommandBody plan_command(const std::string& name);
CommandBody profile_command(const std::string& name);
CommandBody train_command(const std::string& name);

}  // namespace meshwright::cli
