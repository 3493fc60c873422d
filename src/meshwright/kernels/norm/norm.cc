// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/norm/norm.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "meshwright/base/str.h"
#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/custom_call.h"
#include "meshwright/graph/ops/dims.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/functions.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/placement/kernel_decision.h"
#include "meshwright/graph/tracing/axis_scope.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/kernels/norm/norm_handlers.h"

namespace meshwright::kernels {

using graph::KernelAxes;
using graph::Node;
using graph::OpDef;
using graph::Type;
using graph::Value;
using graph::VjpContext;
using graph::Writer;

namespace {

Value mean_of_rows(Value x) {
  return graph::mean(x, {-1}, {.keep_dims = true});
}

// Returns the centered rows (if options.centered) and the reciprocal of their root mean square.
std::pair<Value, Value> centered_and_factor(Value x, const NormOptions& options) {
  Value wide = x.dtype() == f64 ? x : graph::cast(x, f32);
  if (options.centered) wide = wide - mean_of_rows(wide);
  return {wide, graph::rsqrt(mean_of_rows(graph::square(wide)) + options.epsilon)};
}

Value formula(Value x, Value scale, Value bias, const NormOptions& options) {
  auto [wide, factor] = centered_and_factor(x, options);
  Value out = wide * (factor * graph::cast(scale, wide.dtype()));
  if (!bias.is_null()) out = out + graph::cast(bias, wide.dtype());
  return graph::cast(out, x.dtype());
}

// Written by hand, since a reference has plain ops only.
std::vector<Value> gradient_formula(const Node& node, std::span<const Value> in) {
  graph::AxisScope own_axes;
  const auto& [options, has_bias] = node.attr<NormAttrs>();
  auto [wide, factor] = centered_and_factor(in[0], options);
  Value normalized = wide * factor, given = graph::cast(in[2], f32), scaled = given * in[1];
  Value rest = scaled - normalized * mean_of_rows(scaled * normalized);
  if (options.centered) rest = rest - mean_of_rows(scaled);
  const Dims rows = graph::counting(in[0].rank() - 1);
  std::vector<Value> out = {graph::cast(rest * factor, in[0].dtype()),
                            graph::reduce_sum(given * normalized, rows)};
  if (has_bias) out.push_back(graph::reduce_sum(given, rows));
  return out;
}

void check_operands(const Node& node) {
  const Type& x = node.in(0);
  if (x.rank() < 1 || (x.dtype != f32 && x.dtype != bf16))
    graph::reject(node, "x must be f32 or bf16 of rank 1 or more, got ", x);
  const ArrayType row{f32, {x.dims.back()}};
  if (node.in(1).array() != row)
    graph::reject(node, "the scale must be ", row, ", got ", node.in(1));
}

// Returns the axis names that models give to normalized arrays of this rank.
std::string names_of(const Type& x) {
  static const std::array<std::string, 6> kNames = {
      "", "embed", "batch embed", "batch len embed", "batch src kv dim", "batch len kv q dim"};
  return kNames[static_cast<std::size_t>(x.rank())];
}

KernelAxes axes_of(const Node& node, bool is_gradient) {
  const std::string x = names_of(node.in(0));
  const std::string last = node.in(0).rank() > 3 ? "dim" : "embed";
  const bool has_bias = node.attr<NormAttrs>().has_bias;
  KernelAxes axes{.operands = {x, last}, .results = {x}, .whole = {last}};
  if (is_gradient) {
    axes.operands.push_back(x);
    axes.results.insert(axes.results.end(), has_bias ? 2 : 1, last);
    axes.summed = {"batch", "len", "src", "kv", "q"};
  } else if (has_bias) {
    axes.operands.push_back(last);
  }
  return axes;
}

void write_call(Writer& writer, const Node& node) {
  const NormOptions& options = node.attr<NormAttrs>().options;
  graph::write_custom_call(
      writer, node,
      {.target = node.op->handler->name,
       .attributes = {{"centered", options.centered}, {"epsilon", options.epsilon}}});
}

std::string obstacle(const Node& op, const graph::KernelTarget& /*target*/) {
  const Type &x = op.in(0), &scale = op.in(1);
  if (x.dtype != f32 && x.dtype != bf16) return str("dtype ", x.dtype);
  if (scale.dtype != f32) return str("a scale of ", scale.dtype);
  if (x.rank() < 1 || x.rank() > 5) return str(x.rank(), " dimensions");
  return num_elements(x.dims) == 0 ? "no elements" : "";
}

void norm_vjp(VjpContext& c) {
  std::vector<Value> gradients = graph::emit_all(
      kNormGradient, {c.operand(0), c.operand(1), c.cotangent()}, c.attr<NormAttrs>(), {}, {});
  for (std::size_t i = 0; i < gradients.size(); ++i)
    c.add(static_cast<int>(i), gradients[i]);
}

}  // namespace

Value norm(Value x, Value scale, Value bias, const NormOptions& options, SourceLoc loc) {
  std::vector<Value> operands = {x, scale};
  if (!bias.is_null()) operands.push_back(bias);
  NormAttrs attrs{options, !bias.is_null()};
  if (!graph::becomes_kernel(kNorm, operands, attrs)) return formula(x, scale, bias, options);
  return graph::emit_all(kNorm, std::move(operands), attrs, {}, loc)[0];
}

const OpDef kNorm{.name = "norm",
                  .infer =
                      [](const Node& node) {
                        check_operands(node);
                        const Type& scale = node.in(1);
                        const bool has_bias = node.attr<NormAttrs>().has_bias;
                        if (has_bias && node.in(2).array() != scale.array())
                          graph::reject(node, "the bias must be ", scale, ", got ", node.in(2));
                        return std::vector{node.in(0)};
                      },
                  .write = write_call,
                  .vjp = norm_vjp,
                  .handler = &kNormHandler,
                  .reference =
                      [](const Node& node, std::span<const Value> in) {
                        graph::AxisScope own_axes;
                        const auto& [options, has_bias] = node.attr<NormAttrs>();
                        Value bias = has_bias ? in[2] : Value();
                        return std::vector{formula(in[0], in[1], bias, options)};
                      },
                  .obstacle = obstacle,
                  .axes = [](const Node& node) { return axes_of(node, false); }};

const OpDef kNormGradient{.name = "norm_gradient",
                          .infer =
                              [](const Node& node) {
                                check_operands(node);
                                if (node.in(2).array() != node.in(0).array())
                                  graph::reject(node, "the gradient of ", node.in(0), " cannot be ",
                                                node.in(2));
                                std::vector<Type> out = {node.in(0), node.in(1)};
                                if (node.attr<NormAttrs>().has_bias) out.push_back(node.in(1));
                                return out;
                              },
                          .write = write_call,
                          .vjp = graph::kReferenceGradient,
                          .handler = &kNormGradientHandler,
                          .reference = gradient_formula,
                          .axes = [](const Node& node) { return axes_of(node, true); }};

}  // namespace meshwright::kernels
