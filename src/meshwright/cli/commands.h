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
  int (*run)(const Words& words);
};

std::span<const Command> commands();

int run_ckpt(const Words& words);
int run_config(const Words& words);
int run_doctor(const Words& words);
int run_eval(const Words& words);
int run_generate(const Words& words);
int run_profile(const Words& words);
int run_train(const Words& words);

}  // namespace meshwright::cli
