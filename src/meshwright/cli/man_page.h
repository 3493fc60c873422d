// SPDX-License-Identifier: Apache-2.0
// Man pages, generated from the same tables as --help.
#pragma once

#include <string>
#include <vector>

#include "meshwright/cli/command.h"

namespace meshwright::cli {

struct ManPage {
  std::string name;  // "meshwright-ckpt-show"
  std::string roff;
};

/// Returns the pages for the program, its command groups and its commands.
std::vector<ManPage> man_pages(const CommandGroup& program);

}  // namespace meshwright::cli
