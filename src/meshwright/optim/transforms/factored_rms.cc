// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/transforms/factored_rms.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/functions.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/optim/transforms/per_param.h"

namespace meshwright::optim {

using graph::mean;
using graph::pow;

namespace {

Value averaged(Value decay, Value old, Value now) {
  return decay * graph::cast(old, now.dtype()) + (1.0 - decay) * now;
}

double num_elements_along(const graph::Type& type, const Dims& dims) {
  double out = 1;
  for (std::int64_t dim : dims)
    out *= static_cast<double>(type.dims[static_cast<std::size_t>(dim)]);
  return out;
}

// Returns the positions of `dims` after removing the dimensions `removed`.
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

FactorChoice factored_by_size(std::int64_t min_size) {
  return [min_size](const std::string&, const ParamSpec& spec) {
    return two_largest_dims(spec.type.dims, min_size);
  };
}

FactorChoice not_factored() {
  return [](const std::string&, const ParamSpec&) { return std::nullopt; };
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

void divide_by_factored_rms(const std::optional<FactoredDims>& factored,
                            const std::string& path,
                            Value decay_rate,
                            double eps,
                            PendingUpdates& updates,
                            const std::string& at) {
  auto next = [&](const char* name, Value now) {
    Value& average = updates.slot(join_tree_path(at, join_tree_path(name, path)));
    return average = averaged(graph::cast(decay_rate, now.dtype()), average, now);
  };
  if (!factored) {
    Value gradient = updates.materialize(path);
    return updates.set(path, gradient * pow(next("v", graph::square(gradient) + eps), -0.5));
  }
  const auto& [d1, d0] = *factored;
  const std::vector<Value> sums = updates.square_sums(path, {d0, d1});
  Value row = next("v_row", sums[0] / num_elements_along(updates.type(path), d0) + eps);
  Value col = next("v_col", sums[1] / num_elements_along(updates.type(path), d1) + eps);
  Value row_mean = mean(row, after_removal(d1, d0), {.keep_dims = true});
  Value row_factor = graph::expand_dims(pow(row / row_mean, -0.5), d0);
  Value col_factor = graph::expand_dims(pow(col, -0.5), d1);
  updates.add_step(path, kernels::scale_step(row_factor));
  updates.add_step(path, kernels::scale_step(col_factor));
}

Transform scale_by_factored_rms(const FactoredRmsOptions& options) {
  auto slots = [o = options](const ParamSpecs& params) {
    SlotSpecs out;
    for_each(params, [&](const std::string& path, const ParamSpec& spec) {
      add_factored_slots(o.factored(path, spec), path, spec, out);
    });
    return out;
  };
  auto steps = [o = options](const UpdateContext& context, PendingUpdates& updates,
                             const std::string& at) {
    Value decay = o.decay_rate(context.update_number());
    for_each(context.specs, [&](const std::string& path, const ParamSpec& spec) {
      divide_by_factored_rms(o.factored(path, spec), path, decay, o.eps, updates, at);
    });
  };
  return {.name = "factored_rms", .slots = slots, .steps = steps};
}

}  // namespace meshwright::optim
