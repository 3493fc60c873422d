// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/transforms/partition.h"

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/sharding/global.h"

namespace meshwright::optim {

using graph::Value;

Value all_finite(const Tree<Value>& arrays) {
  Value num_bad;
  for_each(arrays, [&](const Value& x) {
    if (!is_float(x.dtype())) return;
    Value bad = graph::global_sum(graph::cast(graph::logical_not(graph::is_finite(x)), f32));
    num_bad = num_bad.is_null() ? bad : num_bad + bad;
  });
  if (num_bad.is_null()) return graph::constant(1, pred);
  return graph::equal(num_bad, 0.0);
}

}  // namespace meshwright::optim
