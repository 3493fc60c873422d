// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "meshwright/checkpoint/contents/stored.h"

namespace meshwright::checkpoint {

/// Returns the mean of the floating-point arrays of several checkpoints, computed in double
/// precision when elements are read. Everything else is that of the last one. Throws
/// invalid_argument, with all differences, unless all have the same arrays.
Stored average_of(const std::vector<Stored>& all);

}  // namespace meshwright::checkpoint
