// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/per_param.h"

#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/collectives.h"
#include "meshwright/graph/ops/dims.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/tracer.h"
#include "meshwright/kernels/sum_of_squares.h"
#include "meshwright/mesh/device_groups.h"

namespace meshwright::optim {

using graph::cast;

Value Item::param_as_update() const {
  return param.dtype() == update.dtype() ? param : cast(param, update.dtype());
}

ValueTree map_updates(const UpdateContext& context,
                      const ValueTree& updates,
                      const std::function<Value(const Item&)>& f) {
  check_same_structure(updates, context.params, "the updates", "the parameters");
  std::vector<ParamSpec> specs = leaves(context.specs);
  std::vector<Value> params = leaves(context.params);
  std::size_t next = 0;
  return map(updates, [&](const std::string& path, const Value& update) {
    std::size_t i = next++;
    return f(Item{path, specs[i], params[i], update});
  });
}

DType update_dtype(DType param) {
  return param == f64 ? f64 : f32;
}

SlotSpecs like(const ParamSpecs& params, std::optional<DType> dtype) {
  return map(params, [&](const ParamSpec& spec) {
    ParamSpec slot = spec;
    slot.type.dtype = dtype.value_or(update_dtype(spec.type.dtype));
    slot.factorization.clear();
    return slot;
  });
}

ParamSpec without_dims(const ParamSpec& spec, const Dims& dims) {
  ParamSpec slot = spec;
  slot.factorization.clear();
  for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) {
    slot.type.dims.erase(slot.type.dims.begin() + *dim);
    if (!slot.axes.empty()) slot.axes.erase(slot.axes.begin() + *dim);
    if (*dim < slot.num_stacked_dims) --slot.num_stacked_dims;
  }
  return slot;
}

Value scalar_like(Value scalar, Value x) {
  return scalar.dtype() == x.dtype() ? scalar : cast(scalar, x.dtype());
}

Value global_norm(const ValueTree& arrays) {
  Value sum;
  for_each(arrays, [&](const Value& x) {
    Value part = kernels::sum_of_squares(x);
    if (sum.is_null()) {
      sum = part;
    } else {
      DType wider = sum.dtype() == f64 ? f64 : part.dtype();
      sum = cast(sum, wider) + cast(part, wider);
    }
  });
  return sum.is_null() ? graph::constant(0.0, f32) : graph::sqrt(sum);
}

Dims block_dims(const ParamSpec& spec, Block block) {
  Dims all = graph::counting(spec.type.rank());
  return {all.begin() + (block == Block::layer ? spec.num_stacked_dims : 0), all.end()};
}

// Where parts of an array lie on devices that the partitioner does not see, their sums are joined.
Value sum_square(Value x, const Dims& over) {
  Value sum = graph::reduce_sum(graph::square(x), over, {.keep_dims = true});
  return graph::all_reduce_sum(sum, x.type().varying);
}

Value mean_square(Value x, const Dims& over) {
  std::int64_t count =
      mesh::group_size(graph::Tracer::current().mesh(), mesh::positions(x.type().varying));
  for (std::int64_t dim : over)
    count *= x.dim(static_cast<int>(dim));
  return sum_square(x, over) / static_cast<double>(count);
}

}  // namespace meshwright::optim
