// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/graph/core/value.h"

namespace meshwright::kernels {

/// Of all elements, over all devices that have some: a scalar in f32, for f64 in f64.
graph::Value sum_of_squares(graph::Value x, SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::kernels
