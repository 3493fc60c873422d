// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/graph/op_def.h"
#include "meshwright/graph/value.h"

namespace meshwright::kernels {

/// Of all elements, over all devices that have some: a scalar in f32, for f64 in f64. On one CPU it
/// is read once; XLA's own sums write the squares down first.
graph::Value sum_of_squares(graph::Value x, SourceLoc loc = SourceLoc::current());

/// x: f32 or bf16.
extern const graph::OpDef kSumOfSquares;

}  // namespace meshwright::kernels
