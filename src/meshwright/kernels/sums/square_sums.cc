// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/sums/square_sums.h"

#include <algorithm>
#include <string>
#include <utility>

#include "meshwright/base/str.h"
#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/custom_call.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/placement/kernel_decision.h"
#include "meshwright/graph/tracing/axis_scope.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/kernels/rows/broadcast_rows.h"
#include "meshwright/kernels/sums/square_sums_handlers.h"

namespace meshwright::kernels {

using graph::KernelAxes;
using graph::Node;
using graph::OpDef;
using graph::Type;
using graph::Value;

namespace {

bool is_scalar(const Value& x) {
  return x.type().rank() == 0;
}

std::vector<Value> formula(Value x, std::span<const Value> factors, const std::vector<Dims>& over) {
  Value value = graph::cast(x, x.dtype() == f64 ? f64 : f32);
  for (const Value& factor : factors)
    value = value * graph::cast(factor, value.dtype());
  std::vector<Value> out;
  for (const Dims& dims : over)
    out.push_back(graph::reduce_sum(graph::square(value), dims, {.keep_dims = true}));
  return out;
}

std::string obstacle(const Node& op, const graph::KernelTarget& target) {
  const Type& x = op.in(0);
  const std::span<const Value> factors = std::span(op.operands).subspan(1);
  const std::vector<Dims>& over = op.attr<SquareSumsAttrs>().over;
  const auto num_arrays =
      std::ssize(factors) - std::ranges::count_if(factors, is_scalar) + std::ssize(over);
  if (target.mesh.num_devices() > 1) return "several devices";
  if (x.dtype != f32 && x.dtype != bf16) return str("dtype ", x.dtype);
  if (num_elements(x.dims) == 0) return "no elements";
  if (x.rank() > kMostBroadcastDims) return str("more than ", kMostBroadcastDims, " dimensions");
  if (num_arrays > kMostBroadcast) return "too many factors and sums";
  if (std::ranges::any_of(factors, [](const Value& f) { return f.dtype() != f32; }))
    return "a factor is not f32";
  return std::ranges::any_of(over, &Dims::empty) ? "a sum over no dimensions" : "";
}

std::vector<Type> infer_sums(const Node& node) {
  std::vector<Type> out;
  for (const Dims& over : node.attr<SquareSumsAttrs>().over) {
    Dims dims = node.in(0).dims;
    for (std::int64_t dim : over)
      dims[static_cast<std::size_t>(dim)] = 1;
    out.emplace_back(f32, dims);
  }
  return out;
}

// No axis may be split, since the sharding of the array is unknown.
KernelAxes axes_of_sums(const Node& node) {
  KernelAxes axes;
  int number = 0;
  auto named = [&](const Type& type) {
    std::string names;
    for (int dim = 0; dim < type.rank(); ++dim) {
      const std::string name = str("dim", number++);
      names += (dim == 0 ? "" : " ") + name;
      axes.whole.push_back(name);
    }
    return names;
  };
  for (int i = 0; i < node.num_operands(); ++i)
    axes.operands.push_back(named(node.in(i)));
  for (int i = 0; i < node.num_results(); ++i)
    axes.results.push_back(named(node.out(i)));
  return axes;
}

}  // namespace

std::vector<Value> square_sums(Value x,
                               const std::vector<Value>& factors,
                               const std::vector<Dims>& over,
                               SourceLoc loc) {
  std::vector<Value> sums;
  std::vector<Value> operands = {x};
  operands.insert(operands.end(), factors.begin(), factors.end());
  if (graph::becomes_kernel(kSquareSums, operands, SquareSumsAttrs{over})) {
    std::stable_partition(operands.begin() + 1, operands.end(),
                          [](const Value& f) { return !is_scalar(f); });
    sums = graph::emit_all(kSquareSums, std::move(operands), SquareSumsAttrs{over}, {}, loc);
  } else {
    sums = formula(x, factors, over);
  }
  for (std::size_t i = 0; i < over.size(); ++i)
    sums[i] = graph::squeeze(sums[i], over[i]);
  return sums;
}

const OpDef kSquareSums{
    .name = "square_sums",
    .infer = infer_sums,
    .write =
        [](graph::Writer& writer, const Node& node) {
          graph::write_custom_call(writer, node,
                                   {.target = node.op->handler->name, .attributes = {}});
        },
    .vjp = graph::kReferenceGradient,
    .handler = &kSquareSumsHandler,
    .reference =
        [](const Node& node, std::span<const Value> in) {
          graph::AxisScope own_axes;
          return formula(in[0], in.subspan(1), node.attr<SquareSumsAttrs>().over);
        },
    .obstacle = obstacle,
    .axes = axes_of_sums};

}  // namespace meshwright::kernels
