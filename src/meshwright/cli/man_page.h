// SPDX-License-Identifier: Apache-2.0
// Man pages, made from the same tables as --help.
#pragma once

#include <string>
#include <vector>

#include "meshwright/cli/command.h"

namespace meshwright::cli {

struct ManPage {
  std::string name;  // "meshwright-ckpt-show"
  std::string roff;
};

/// Returns the pages of the program, its groups of commands and its commands.
std::vector<ManPage> man_pages(const CommandGroup& program);

}  // namespace meshwright::cli
