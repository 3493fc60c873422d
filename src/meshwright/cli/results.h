// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/train/loop/boundary.h"

namespace meshwright::cli {

/// Prints "name: value" lines to stdout, for scripts.
void print_results(const train::Results& results);
/// Like print_results(), but returns false if stdout cannot be written to; std::cout stays usable.
bool try_print_results(const train::Results& results);

}  // namespace meshwright::cli
