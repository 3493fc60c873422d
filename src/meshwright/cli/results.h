// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/train/loop/boundary.h"

namespace meshwright::cli {

/// Prints "name: value" lines to stdout, for scripts.
void print_results(const train::Results& results);
/// Does the same and returns false, instead of spoiling std::cout, where stdout cannot be written.
bool try_print_results(const train::Results& results);

}  // namespace meshwright::cli
