// SPDX-License-Identifier: Apache-2.0
// Two small kernels as complete kernel ops, and their formulas in plain ops.
#pragma once

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::spmd {

/// (x - mean of its row) * scale + bias, in one pass. Axes: rows cols. Its gradient is a kernel
/// too, whose own gradient uses its reference.
extern const graph::OpDef kCenterRows, kCenterRowsGradient;
graph::Value center_rows(graph::Value x, graph::Value scale, graph::Value bias);
graph::Value plain_center_rows(graph::Value x, graph::Value scale, graph::Value bias);

/// x + by, in the memory of x if possible.
extern const graph::OpDef kAddInPlace;
graph::Value add_in_place(graph::Value x, double by);

}  // namespace meshwright::spmd
