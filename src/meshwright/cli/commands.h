// SPDX-License-Identifier: Apache-2.0
// The subcommands. A new one is a file of its own, a declaration here and a row in commands.cc.
#pragma once

#include <span>
#include <string_view>

#include "meshwright/cli/arguments.h"

namespace meshwright::cli {

struct Command {
  std::string_view name;
  std::string_view summary;
  /// The exit code; an error is thrown instead (exit_code.h).
  int (*run)(const Args& args);
};

std::span<const Command> commands();

int ckpt_command(const Args& args);
int config_command(const Args& args);
int doctor_command(const Args& args);
int eval_command(const Args& args);
int generate_command(const Args& args);
int profile_command(const Args& args);
int train_command(const Args& args);

}  // namespace meshwright::cli
