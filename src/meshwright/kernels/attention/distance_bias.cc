// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/attention/distance_bias.h"

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"

namespace meshwright::kernels {

using graph::Value;

namespace {

Value padded(Value x, std::int64_t dim, std::int64_t low, std::int64_t high) {
  const auto rank = static_cast<std::size_t>(x.rank()), at = static_cast<std::size_t>(dim);
  graph::Padding padding{.low = Dims(rank, 0), .high = Dims(rank, 0)};
  padding.low[at] = low;
  padding.high[at] = high;
  return graph::pad(x, 0, padding);
}

}  // namespace

// Rows of n + 1 elements that are read as rows of n elements are shifted by one more in each row.
Value bias_of_distances(Value by_distance, std::int64_t len, std::int64_t src) {
  const std::int64_t kv = by_distance.dim(0), q = by_distance.dim(1), n = len + src - 1;
  Value rows =
      graph::broadcast_in_dim(padded(by_distance, 2, 0, 1), {kv, q, len, n + 1}, {0, 1, 3});
  rows = graph::take_slice(graph::reshape(rows, {kv, q, len * (n + 1)}), 2, 0, len * n);
  return graph::take_slice(graph::reshape(rows, {kv, q, len, n}), 3, len - 1);
}

Value sum_by_distance(Value x) {
  const std::int64_t kv = x.dim(0), q = x.dim(1), len = x.dim(2), n = len + x.dim(3) - 1;
  Value rows = graph::reshape(padded(x, 3, len - 1, 0), {kv, q, len * n});
  rows = graph::reshape(padded(rows, 2, 0, len), {kv, q, len, n + 1});
  return graph::take_slice(graph::reduce_sum(rows, {2}), 2, 0, n);
}

}  // namespace meshwright::kernels
