// SPDX-License-Identifier: Apache-2.0
// Two small kernels as ops with all that a kernel has, and the same in plain ops.
#pragma once

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::spmd {

/// (x - mean of its row) * scale + bias, in one pass. Axes: rows cols; its gradient is a kernel
/// too, whose gradient goes through its reference.
extern const graph::OpDef kCenterRows, kCenterRowsGradient;
graph::Value center_rows(graph::Value x, graph::Value scale, graph::Value bias);
graph::Value plain_center_rows(graph::Value x, graph::Value scale, graph::Value bias);

/// x + by, in the memory of x where that is free.
extern const graph::OpDef kAddInPlace;
graph::Value add_in_place(graph::Value x, double by);

}  // namespace meshwright::spmd
