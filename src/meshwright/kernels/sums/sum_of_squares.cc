// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/sums/sum_of_squares.h"

#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/placement/kernel_decision.h"
#include "meshwright/graph/sharding/global.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/kernels/sums/square_sums.h"

namespace meshwright::kernels {

using graph::Value;

Value sum_of_squares(Value x, SourceLoc loc) {
  const Value flat = graph::reshape(x, {num_elements(x.dims())});
  const SquareSumsAttrs all{.over = {{0}}};
  if (graph::becomes_kernel(kSquareSums, {flat}, all))
    return graph::squeeze(graph::emit(kSquareSums, {flat}, all, loc), {0});
  // Not of `flat`: reshaping a sharded array could gather it.
  return graph::global_sum(graph::square(x.dtype() == f64 ? x : graph::cast(x, f32)));
}

}  // namespace meshwright::kernels
