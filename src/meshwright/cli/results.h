// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/train/boundary.h"

namespace meshwright::cli {

/// On stdout, for programs: "name: value", one per line.
void print_results(const train::Results& results);

}  // namespace meshwright::cli
