// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/factored_rms.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/functions.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/optim/per_param.h"

namespace meshwright::optim {

using graph::mean;
using graph::pow;

namespace {

Value averaged(Value decay, Value old, Value now) {
  return decay * graph::cast(old, now.dtype()) + (1.0 - decay) * now;
}

// Positions of the same dimensions after those of `removed` are gone.
Dims after_removal(const Dims& dims, const Dims& removed) {
  Dims out;
  for (std::int64_t dim : dims) {
    out.push_back(dim - std::count_if(removed.begin(), removed.end(),
                                      [dim](std::int64_t other) { return other < dim; }));
  }
  return out;
}

}  // namespace

std::optional<FactoredDims> two_largest_dims(const Dims& dims, std::int64_t min_size) {
  if (dims.size() < 2) return std::nullopt;
  Dims order(dims.size());
  std::iota(order.begin(), order.end(), 0);
  auto size = [&](std::int64_t dim) { return dims[static_cast<std::size_t>(dim)]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) { return size(a) < size(b); });
  std::int64_t second = order[order.size() - 2];
  if (size(second) < min_size) return std::nullopt;
  return FactoredDims{.d1 = {second}, .d0 = {order.back()}};
}

ParamSpec unused_slot(DType dtype) {
  return {.type = {dtype, {1}}, .axes = {"unused"}};
}

void add_factored_slots(const std::optional<FactoredDims>& factored,
                        const std::string& path,
                        const ParamSpec& spec,
                        SlotSpecs& slots) {
  DType dtype = update_dtype(spec.type.dtype);
  auto put = [&](const char* slot, ParamSpec described) {
    described.type.dtype = dtype;
    described.factorization.clear();
    slots[join_tree_path(slot, path)] = std::move(described);
  };
  const ParamSpec unused = unused_slot(dtype);
  put("v_row", factored ? without_dims(spec, factored->d0) : unused);
  put("v_col", factored ? without_dims(spec, factored->d1) : unused);
  put("v", factored ? unused : spec);
}

Value factored_update(const std::optional<FactoredDims>& factored,
                      const std::string& path,
                      Value gradient,
                      Value decay_rate,
                      double eps,
                      ValueTree& slots) {
  Value decay = scalar_like(decay_rate, gradient);
  Value squares = graph::square(gradient) + eps;
  if (!factored) {
    Value& v = slots.at(join_tree_path("v", path)).value();
    v = averaged(decay, v, squares);
    return gradient * pow(v, -0.5);
  }
  const auto& [d1, d0] = *factored;
  Value& row = slots.at(join_tree_path("v_row", path)).value();
  Value& col = slots.at(join_tree_path("v_col", path)).value();
  row = averaged(decay, row, mean(squares, d0));
  col = averaged(decay, col, mean(squares, d1));
  Value row_mean = mean(row, after_removal(d1, d0), {.keep_dims = true});
  Value row_factor = graph::expand_dims(pow(row / row_mean, -0.5), d0);
  Value col_factor = graph::expand_dims(pow(col, -0.5), d1);
  return gradient * row_factor * col_factor;
}

Transform scale_by_factored_rms(const FactoredRmsOptions& options) {
  auto slots = [o = options](const ParamSpecs& params) {
    SlotSpecs out;
    for_each(params, [&](const std::string& path, const ParamSpec& spec) {
      add_factored_slots(o.factored(path, spec), path, spec, out);
    });
    return out;
  };
  auto update = [o = options](const UpdateContext& context, const ValueTree& updates,
                              ValueTree& state) {
    Value decay = o.decay_rate(context.number());
    return map_updates(context, updates, [&](const Item& item) {
      return factored_update(o.factored(item.path, item.spec), item.path, item.update, decay, o.eps,
                             state);
    });
  };
  return {.name = "factored_rms", .slots = slots, .update = update};
}

}  // namespace meshwright::optim
