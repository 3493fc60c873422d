// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/sums/sum_of_squares.h"

#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/sharding/global.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/kernels/sums/square_sums.h"

namespace meshwright::kernels {

using graph::Value;

Value sum_of_squares(Value x, SourceLoc loc) {
  if (graph::Tracer::current().mesh().num_devices() == 1)
    return square_sums(graph::reshape(x, {num_elements(x.dims())}), {}, {{0}}, loc)[0];
  return graph::global_sum(graph::square(x.dtype() == f64 ? x : graph::cast(x, f32)));
}

}  // namespace meshwright::kernels
