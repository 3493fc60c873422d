// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/mask.h"

#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"

namespace meshwright::nn {
namespace {

Value as_rows(Value x) {  // ... len 1
  return expand_dims(x, {x.rank()});
}

Value as_columns(Value x) {  // ... 1 src
  return expand_dims(x, {x.rank() - 1});
}

}  // namespace

Value causal_mask(Value query_positions, Value key_positions, std::int64_t window) {
  Value query = as_rows(query_positions), key = as_columns(key_positions);
  Value seen = query >= key;
  return window == 0 ? seen : both(seen, query < key + window);
}

Value segment_mask(Value query_segments, Value key_segments) {
  return graph::equal(as_rows(query_segments), as_columns(key_segments));
}

Value padding_mask(Value is_valid) {
  return as_columns(is_valid);
}

Value both(Value a, Value b) {
  if (a.is_null()) return b;
  return b.is_null() ? a : logical_and(a, b);
}

}  // namespace meshwright::nn
