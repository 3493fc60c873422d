// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/linear/linear_ops.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/barrier.h"
#include "meshwright/graph/ops/custom_call.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/kernels/linear/linear_formula.h"
#include "meshwright/kernels/linear/linear_handlers.h"

namespace meshwright::kernels {

using graph::KernelAxes;
using graph::Node;
using graph::OpDef;
using graph::Type;
using graph::Value;
using graph::VjpContext;
using graph::Writer;

namespace {

std::string joined(const std::string& first, const std::string& second) {
  return first.empty() || second.empty() ? first + second : first + " " + second;
}

std::string weight_axes(const LinearAxes& axes) {
  return axes.is_transposed ? joined(axes.out, axes.in) : joined(axes.in, axes.out);
}

Dims part(const Dims& dims, std::int64_t begin, std::int64_t size) {
  return {dims.begin() + begin, dims.begin() + begin + size};
}

Dims concatenated(Dims first, const Dims& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

void check_dtypes(const Node& node) {
  for (int i = 0; i < node.num_operands(); ++i)
    if (node.in(i).dtype != f32 && node.in(i).dtype != bf16)
      graph::reject(node, "takes f32 or bf16, got ", node.in(i));
}

void check_factor(const Node& node, const Type& x, Value factor) {
  if (!factor.is_null() && factor.type().array() != x.array())
    graph::reject(node, "the factor must be ", x.array(), ", got ", factor.type());
}

std::vector<Type> infer_linear(const Node& node) {
  const auto& attrs = node.attr<LinearAttrs>();
  const LinearAxes& axes = attrs.axes;
  const std::int64_t lead = num_axes(axes.lead), in = num_axes(axes.in);
  const std::int64_t num_out = num_axes(axes.out);
  const Type &x = node.in(0), &w = node.in(1);
  if (x.rank() != lead + in || w.rank() != in + num_out)
    graph::reject(node, "takes x [", joined(axes.lead, axes.in), "] and a weight [",
                  weight_axes(axes), "], got ", x, " and ", w);
  check_dtypes(node);
  const Dims w_in = part(w.dims, axes.is_transposed ? num_out : 0, in);
  const Dims w_out = part(w.dims, axes.is_transposed ? 0 : in, num_out);
  if (part(x.dims, lead, in) != w_in)
    graph::reject(node, "sizes of [", axes.in, "] differ between ", x, " and ", w);
  const auto [bias, factor, addend] = linear_extras(attrs, node.operands);
  if (!bias.is_null() && bias.dims() != w_out)
    graph::reject(node, "the bias must be [", axes.out, "], ", ArrayType{attrs.out, w_out},
                  ", got ", bias.type());
  check_factor(node, x, factor);
  Type result(attrs.out, concatenated(part(x.dims, 0, lead), w_out));
  if (!addend.is_null() && addend.type().array() != result.array())
    graph::reject(node, "the addend must be ", result, ", got ", addend.type());
  return {result};
}

std::vector<Type> infer_gradient(const Node& node) {
  const auto& attrs = node.attr<LinearAttrs>();
  const LinearAxes& axes = attrs.axes;
  const std::int64_t lead = num_axes(axes.lead), in = num_axes(axes.in);
  const std::int64_t num_out = num_axes(axes.out);
  const Type &x = node.in(0), &given = node.in(1);
  if (x.rank() != lead + in || given.rank() != lead + num_out ||
      part(x.dims, 0, lead) != part(given.dims, 0, lead))
    graph::reject(node, "takes x [", joined(axes.lead, axes.in), "] and a gradient [",
                  joined(axes.lead, axes.out), "], got ", x, " and ", given);
  check_dtypes(node);
  Dims of_in = part(x.dims, lead, in), of_out = part(given.dims, lead, num_out);
  Dims bias = of_out;
  if (axes.is_transposed) std::swap(of_in, of_out);
  std::vector<Type> types = {Type(attrs.out, concatenated(std::move(of_in), of_out))};
  if (attrs.has_bias) types.emplace_back(f32, std::move(bias));
  return types;
}

std::vector<Type> infer_activated_gradient(const Node& node) {
  const auto& attrs = node.attr<LinearAttrs>();
  const LinearAxes& axes = attrs.axes;
  const Type &given = node.in(0), &w = node.in(1), &x = node.in(2);
  const std::int64_t lead = num_axes(axes.lead), in = num_axes(axes.in);
  const std::int64_t num_out = num_axes(axes.out);
  const bool has_ranks =
      x.rank() == lead + in && given.rank() == lead + num_out && w.rank() == in + num_out;
  const bool fits =
      has_ranks && part(x.dims, 0, lead) == part(given.dims, 0, lead) &&
      part(x.dims, lead, in) == part(w.dims, axes.is_transposed ? num_out : 0, in) &&
      part(given.dims, lead, num_out) == part(w.dims, axes.is_transposed ? 0 : in, num_out);
  if (!fits)
    graph::reject(node, "takes a gradient [", joined(axes.lead, axes.out), "], a weight [",
                  weight_axes(axes), "] and x [", joined(axes.lead, axes.in), "], got ", given,
                  ", ", w, " and ", x);
  check_dtypes(node);
  check_factor(node, x, attrs.has_factor ? node.operands[3] : Value());
  return std::vector<Type>(attrs.has_factor ? 3 : 2, Type(x.dtype, x.dims));
}

/// If `weight` is a slice of a stack, replaces it by the whole stack, which avoids a copy. Returns
/// the offset of the weight in elements.
std::int64_t weight_in_stack(const Writer& writer, const Node& node, graph::TextValue& weight) {
  Value kept = node.operands[1];
  // A cast to bf16 can be skipped, since the kernel rounds its operands anyway.
  const Node& rounding = *kept.node();
  if (rounding.op == &graph::kConvert && rounding.in(0).dtype == f32 && kept.dtype() == bf16 &&
      node.in(0).dtype == bf16)
    kept = rounding.operands[0];
  const graph::TextSlice* part = writer.find_slice(writer.name(kept));
  if (part == nullptr) return 0;
  weight = part->whole;
  return part->at;
}

void write_linear(Writer& writer, const Node& node) {
  const auto& attrs = node.attr<LinearAttrs>();
  graph::CallAttributes attributes = {{"num_in", num_axes(attrs.axes.in)},
                                      {"num_out", num_axes(attrs.axes.out)},
                                      {"is_transposed", attrs.axes.is_transposed}};
  std::vector<graph::TextValue> operands = writer.text_values(node.operands);
  if (node.op != &kLinearGradient) {
    attributes.insert(
        {{"activation", attrs.activation ? static_cast<std::int64_t>(*attrs.activation) : -1},
         {"has_bias", attrs.has_bias},
         {"has_factor", attrs.has_factor},
         {"has_addend", attrs.has_addend},
         {"weight_at", weight_in_stack(writer, node, operands[1])}});
  }
  graph::write_custom_call(
      writer, node,
      {.target = node.op->handler->name, .attributes = attributes, .operands = operands});
}

// Returns the axes of the product that computes the gradient of the left operand.
LinearAxes back(const LinearAxes& axes) {
  return {axes.lead, axes.out, axes.in, !axes.is_transposed};
}

InputGradients by_activated_gradient(VjpContext& c, Value factor) {
  const auto& attrs = c.attr<LinearAttrs>();
  std::vector<Value> operands = {c.cotangent(), c.operand(1), c.operand(0)};
  if (attrs.has_factor) operands.push_back(factor);
  std::vector<Value> results = graph::emit_all(
      kActivatedGradient, std::move(operands),
      LinearAttrs{
          .axes = attrs.axes, .activation = attrs.activation, .has_factor = attrs.has_factor},
      {}, {});
  return {results[0], results[1], attrs.has_factor ? results[2] : Value()};
}

InputGradients gradients_of_input(VjpContext& c, Value factor, bool needs_weight) {
  const auto& attrs = c.attr<LinearAttrs>();
  // kActivatedGradient always writes the left operand, which only the weight's gradient needs.
  if (attrs.activation && needs_weight && sees_whole_sums(back(attrs.axes)))
    return by_activated_gradient(c, factor);
  Value x = c.operand(0);
  Value given = graph::emit(kLinear, {c.cotangent(), c.operand(1)},
                            LinearAttrs{.axes = back(attrs.axes), .out = x.dtype()}, {});
  if (!attrs.activation) return {x, given, {}};
  return differentiate_activated(*attrs.activation, x, factor, given);
}

Value multiplied_once_more(VjpContext& c, Value factor) {
  const auto& activation = c.attr<LinearAttrs>().activation;
  if (!activation) return c.operand(0);
  Value x = graph::optimization_barrier({c.operand(0), c.cotangent()})[0];
  return activation_formula(*activation, x, factor);
}

void linear_vjp(VjpContext& c) {
  const auto& attrs = c.attr<LinearAttrs>();
  const int bias_at = 2, factor_at = bias_at + (attrs.has_bias ? 1 : 0);
  const bool needs_weight = c.needs(1) || (attrs.has_bias && c.needs(bias_at));
  Value factor = attrs.has_factor ? c.operand(factor_at) : Value(), multiplied;
  if (c.needs(0) || (attrs.has_factor && c.needs(factor_at))) {
    InputGradients gradients = gradients_of_input(c, factor, needs_weight);
    multiplied = gradients.multiplied;
    c.add(0, gradients.d_x);
    if (attrs.has_factor) c.add(factor_at, gradients.d_factor);
  } else {
    multiplied = multiplied_once_more(c, factor);
  }
  if (!needs_weight) return;
  std::vector<Value> gradients = graph::emit_all(
      kLinearGradient, {multiplied, c.cotangent()},
      LinearAttrs{.axes = attrs.axes, .out = c.node().in(1).dtype, .has_bias = attrs.has_bias}, {},
      {});
  c.add(1, gradients[0]);
  if (attrs.has_bias) c.add(bias_at, graph::cast(gradients[1], c.node().in(bias_at).dtype));
}

Value linear_plus(const Node& node, Value addend) {
  LinearAttrs attrs = node.attr<LinearAttrs>();
  if (attrs.has_addend) return {};
  attrs.has_addend = true;
  std::vector<Value> operands = node.operands;
  operands.push_back(addend);
  return graph::emit_all(kLinear, std::move(operands), std::move(attrs), {}, node.loc)[0];
}

KernelAxes axes_of_linear(const Node& node) {
  const auto& attrs = node.attr<LinearAttrs>();
  const std::string x = joined(attrs.axes.lead, attrs.axes.in);
  const std::string result = joined(attrs.axes.lead, attrs.axes.out);
  KernelAxes out{.operands = {x, weight_axes(attrs.axes)}, .results = {result}};
  if (attrs.has_bias) out.operands.push_back(attrs.axes.out);
  if (attrs.has_factor) out.operands.push_back(x);
  if (attrs.has_addend) out.operands.push_back(result);
  // Every shard would add the bias and the addend, so the summed axes must not be sharded.
  if (!attrs.has_bias && !attrs.has_addend) out.summed = axis_names(attrs.axes.in);
  return out;
}

KernelAxes axes_of_gradient(const Node& node) {
  const auto& attrs = node.attr<LinearAttrs>();
  const std::string x = joined(attrs.axes.lead, attrs.axes.in);
  KernelAxes out{.operands = {x, joined(attrs.axes.lead, attrs.axes.out)},
                 .results = {weight_axes(attrs.axes)},
                 .summed = axis_names(attrs.axes.lead)};
  if (attrs.has_bias) out.results.push_back(attrs.axes.out);
  return out;
}

// No axis is summed across shards, since the activation's gradient needs complete sums.
KernelAxes axes_of_activated_gradient(const Node& node) {
  const auto& attrs = node.attr<LinearAttrs>();
  const std::string x = joined(attrs.axes.lead, attrs.axes.in);
  KernelAxes out{.operands = {joined(attrs.axes.lead, attrs.axes.out), weight_axes(attrs.axes), x},
                 .results = {x, x}};
  if (attrs.has_factor) {
    out.operands.push_back(x);
    out.results.push_back(x);
  }
  return out;
}

}  // namespace

bool sees_whole_sums(const LinearAxes& axes) {
  const graph::Tracer& tracer = graph::Tracer::current();
  const auto splits = [&](const std::string& mesh_axis) {
    return tracer.mesh().axis_size(mesh_axis) > 1 &&
           !tracer.manual_axes().contains(tracer.mesh().axis_index(mesh_axis));
  };
  return std::ranges::none_of(axis_names(axes.in), [&](const std::string& axis) {
    const mesh::AxisRule* rule = tracer.activation_rules().find(axis);
    return rule != nullptr && std::ranges::any_of(rule->mesh_axes, splits);
  });
}

const OpDef kLinear{.name = "linear",
                    .infer = infer_linear,
                    .write = write_linear,
                    .vjp = linear_vjp,
                    .product = [](const Node&) { return graph::Product::unbatched; },
                    .handler = &kLinearHandler,
                    .reference = linear_reference,
                    .obstacle = obstacle_of_linear,
                    .axes = axes_of_linear,
                    .plus = linear_plus};

const OpDef kLinearGradient{.name = "linear_gradient",
                            .infer = infer_gradient,
                            .write = write_linear,
                            .vjp = graph::kReferenceGradient,
                            .handler = &kLinearGradientHandler,
                            .reference = linear_gradient_reference,
                            .axes = axes_of_gradient};

const OpDef kActivatedGradient{.name = "activated_gradient",
                               .infer = infer_activated_gradient,
                               .write = write_linear,
                               .vjp = graph::kReferenceGradient,
                               .handler = &kActivatedGradientHandler,
                               .reference = activated_gradient_reference,
                               .axes = axes_of_activated_gradient};

}  // namespace meshwright::kernels
