// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/pooling.h"

#include <utility>

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/functions.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/graph/sharding/module_output.h"

namespace meshwright::nn {

Value mean_pooled(Value x, Value is_valid) {
  if (is_valid.is_null()) return mean(x, {1});
  Value weight = cast(is_valid, x.dtype() == f64 ? f64 : f32);
  Value sum = reduce_sum(cast(x, weight.dtype()) * expand_dims(weight, {2}), {1});
  Value count = maximum(reduce_sum(weight, {1}, {.keep_dims = true}), 1);
  return cast(sum / count, x.dtype());
}

Value first_pooled(Value x) {
  return take_index(x, 1, 0);
}

AttentionPool::AttentionPool(Module* parent, std::string name, const AttentionPoolOptions& o)
    : Module(parent, std::move(name), {{"probes", 1}}),
      probe_(param("probe", "probes embed", glorot_uniform())),
      attention_(this, "attention", o.attention),
      norm_(this, "norm", "embed", o.norm),
      mlp_(this, "mlp", o.mlp) {}

Value AttentionPool::operator()(Ctx& p, Value x) const {
  Scope scope(*this);
  Value probe = graph::broadcast_to(p[probe_], {x.dim(0), 1, x.dim(2)});
  Value y = attention_(p, probe, {.memory = x});
  return graph::module_output(first_pooled(y + mlp_(p, norm_(p, y))));
}

}  // namespace meshwright::nn
