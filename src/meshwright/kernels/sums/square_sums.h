// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/tensor/shape.h"

namespace meshwright::kernels {

/// Returns the sums of (x * factors)^2 over each list of dimensions (ascending), in f32 (f64 for
/// f64). Each factor is a scalar, or has the rank of x and size 1 in broadcast dimensions. The
/// kernel, which supports only one device, reads x once; XLA would write the squares to memory
/// first.
std::vector<graph::Value> square_sums(graph::Value x,
                                      const std::vector<graph::Value>& factors,
                                      const std::vector<Dims>& over,
                                      SourceLoc loc = SourceLoc::current());

/// Operands: x (f32 or bf16), array factors, then scalar factors. attrs: SquareSumsAttrs. Results
/// keep the summed dimensions with size 1.
extern const graph::OpDef kSquareSums;
struct SquareSumsAttrs {
  std::vector<Dims> over;
};

}  // namespace meshwright::kernels
