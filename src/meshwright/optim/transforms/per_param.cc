// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/transforms/per_param.h"

#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/collectives.h"
#include "meshwright/graph/ops/dims.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/kernels/sums/square_sums.h"
#include "meshwright/kernels/sums/sum_of_squares.h"
#include "meshwright/mesh/device_groups.h"

namespace meshwright::optim {

using graph::cast;

ValueTree map_updates(const UpdateContext& context,
                      const ValueTree& updates,
                      const std::function<Value(const ParamUpdate&)>& f) {
  check_same_structure(updates, context.specs, "the updates", "the parameters");
  std::vector<ParamSpec> specs = leaves(context.specs);
  std::size_t next = 0;
  return map(updates, [&](const std::string& path, const Value& update) {
    return f(ParamUpdate{path, specs[next++], update});
  });
}

DType update_dtype(DType param) {
  return param == f64 ? f64 : f32;
}

SlotSpecs slots_like(const ParamSpecs& params, std::optional<DType> dtype) {
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

Value SharedScalars::operator()(double number, const ParamSpec& spec) {
  return (*this)(number, spec, [&](DType dtype) { return graph::constant(number, dtype); });
}

Value SharedScalars::operator()(double number,
                                const ParamSpec& spec,
                                const std::function<Value(DType)>& make) {
  const DType dtype = update_dtype(spec.type.dtype);
  Value& made = made_[{number, dtype}];
  if (made.is_null()) made = make(dtype);
  return made;
}

Value as_factor(Value x) {
  return num_elements(x.dims()) == 1 ? graph::reshape(x, {}) : x;
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

namespace {

// Reduces over shards inside manual computations, which the partitioner does not see.
Value joined(Value sum, const graph::Type& x, const Dims& over) {
  return graph::all_reduce_sum(graph::expand_dims(sum, over), x.varying);
}

double num_joined(const graph::Type& x, const Dims& over) {
  std::int64_t count =
      mesh::group_size(graph::Tracer::current().mesh(), mesh::positions(x.varying));
  for (std::int64_t dim : over)
    count *= x.dims[static_cast<std::size_t>(dim)];
  return static_cast<double>(count);
}

}  // namespace

Value sum_square(Value x, const Dims& over) {
  return joined(kernels::square_sums(x, {}, {over})[0], x.type(), over);
}

Value mean_square(Value x, const Dims& over) {
  return sum_square(x, over) / num_joined(x.type(), over);
}

Value sum_square(PendingUpdates& updates, const std::string& path, const Dims& over) {
  Value sum = updates.square_sums(path, {over})[0];
  return joined(sum, updates.type(path), over);
}

Value mean_square(PendingUpdates& updates, const std::string& path, const Dims& over) {
  return sum_square(updates, path, over) / num_joined(updates.type(path), over);
}

}  // namespace meshwright::optim
