// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/sharding/global.h"

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/collectives.h"
#include "meshwright/graph/ops/dims.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/mesh/device_groups.h"

namespace meshwright::graph {

Value global_sum(Value x, SourceLoc loc) {
  return all_reduce_sum(reduce_sum(x, counting(x.rank()), {}, loc), x.type().varying, loc);
}

Value global_mean(Value x, std::optional<Value> weights, SourceLoc loc) {
  MW_CHECK(is_float(x.dtype()), "global_mean: expected floats, got ", x, origin(loc));
  if (!weights) {
    std::vector<int> axes = mesh::positions(x.type().varying);
    std::int64_t count = num_elements(x.dims()) * mesh::group_size(Tracer::current().mesh(), axes);
    return global_sum(x, loc) / static_cast<double>(count);
  }
  MW_CHECK(weights->dims() == x.dims() && is_float(weights->dtype()), "global_mean: weights of ", x,
           " must be floats of the same shape, got ", *weights, origin(loc));
  const bool widens = byte_size(weights->dtype()) > byte_size(x.dtype());
  const DType dtype = widens ? weights->dtype() : x.dtype();
  x = cast({x, loc}, dtype);
  weights = cast({*weights, loc}, dtype);
  // Weights that are equal along a mesh axis count once per shard of x along that axis.
  Value total = global_sum(vary(*weights, x.type().varying, loc), loc);
  Value sum = global_sum(x * *weights, loc);
  Value none = equal(total, 0);
  return where(none, 0, sum / where(none, 1, total));
}

}  // namespace meshwright::graph
