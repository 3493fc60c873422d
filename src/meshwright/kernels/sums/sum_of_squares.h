// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/graph/core/value.h"

namespace meshwright::kernels {

/// Returns the sum of squares of all elements over all devices: a scalar in f32 (f64 for f64).
graph::Value sum_of_squares(graph::Value x, SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::kernels
