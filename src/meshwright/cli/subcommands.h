// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "meshwright/cli/arguments.h"

namespace meshwright::cli {

/// "show" of "config show".
struct Subcommand {
  std::string_view name;
  std::string_view summary;
  std::function<int(const Args& args)> run;
};

/// Runs the one that the first word names with the words after it; prints what there is if it is
/// --help or missing. Throws invalid_argument with the nearest name for others.
int run_subcommand(const std::string& command,
                   const std::string& summary,
                   std::span<const Subcommand> subcommands,
                   const Args& args);

}  // namespace meshwright::cli
