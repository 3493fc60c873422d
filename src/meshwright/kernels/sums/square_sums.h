// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/tensor/shape.h"

namespace meshwright::kernels {

/// The sums of (x factors)^2 over each of these lists of dimensions, which increase, in f32 or, of
/// f64, in that. Factors are scalars, or of the rank of x with sizes of 1 where they are the same
/// for all. On one CPU x is read once; XLA's own sums write the squares down first.
std::vector<graph::Value> square_sums(graph::Value x,
                                      const std::vector<graph::Value>& factors,
                                      const std::vector<Dims>& over,
                                      SourceLoc loc = SourceLoc::current());

/// x: f32 or bf16; array factors, then scalar ones. attrs: SquareSumsAttrs. Results keep the
/// dimensions that they are summed over, with a size of 1.
extern const graph::OpDef kSquareSums;
struct SquareSumsAttrs {
  std::vector<Dims> over;
};

}  // namespace meshwright::kernels
