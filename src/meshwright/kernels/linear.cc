// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/linear.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/custom_call.h"
#include "meshwright/graph/ops/dot.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/tracer.h"
#include "meshwright/graph/vjp.h"
#include "meshwright/kernels/linear_handlers.h"
#include "meshwright/kernels/simd/panels_bf16.h"
#include "meshwright/tensor/axis_spec.h"

namespace meshwright::kernels {

using graph::KernelAxes;
using graph::Node;
using graph::OpDef;
using graph::Type;
using graph::Value;
using graph::VjpContext;
using graph::Writer;

namespace {

// With fewer rows, as in decoding, it is all about reading the weight.
constexpr std::int64_t kFewestRows = 16;

std::vector<std::string> names(const std::string& axes) {
  std::vector<std::string_view> found = AxisSpec::parse(axes).names();
  return {found.begin(), found.end()};
}

std::int64_t count(const std::string& axes) {
  return static_cast<std::int64_t>(names(axes).size());
}

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

bool is_taken(DType dtype) {
  return dtype == f32 || dtype == bf16;
}

DType multiplied(DType a, DType b) {
  return a == bf16 || b == bf16 ? bf16 : std::max(a, b);
}

Dims last_dims(std::int64_t rank, std::int64_t num) {
  Dims out;
  for (std::int64_t d = rank - num; d < rank; ++d)
    out.push_back(d);
  return out;
}

Dims first_dims(std::int64_t num) {
  return last_dims(num, num);
}

void check_dtypes(const Node& node) {
  for (int i = 0; i < node.num_operands(); ++i)
    if (!is_taken(node.in(i).dtype)) graph::reject(node, "takes f32 or bf16, got ", node.in(i));
}

std::vector<Type> infer_linear(const Node& node) {
  const LinearAxes& axes = node.attr<LinearAttrs>().axes;
  const DType out = node.attr<LinearAttrs>().out;
  const std::int64_t lead = count(axes.lead), in = count(axes.in), num_out = count(axes.out);
  const Type &x = node.in(0), &w = node.in(1);
  if (x.rank() != lead + in || w.rank() != in + num_out)
    graph::reject(node, "takes x [", joined(axes.lead, axes.in), "] and a weight [",
                  weight_axes(axes), "], got ", x, " and ", w);
  check_dtypes(node);
  const Dims w_in = part(w.dims, axes.is_transposed ? num_out : 0, in);
  const Dims w_out = part(w.dims, axes.is_transposed ? 0 : in, num_out);
  if (part(x.dims, lead, in) != w_in)
    graph::reject(node, "sizes of [", axes.in, "] differ between ", x, " and ", w);
  if (node.num_operands() > 2 && node.in(2).dims != w_out)
    graph::reject(node, "the bias must be [", axes.out, "], ", ArrayType{out, w_out}, ", got ",
                  node.in(2));
  return {Type(out, concatenated(part(x.dims, 0, lead), w_out))};
}

std::vector<Type> infer_gradient(const Node& node) {
  const auto& [axes, out, of_bias] = node.attr<LinearAttrs>();
  const std::int64_t lead = count(axes.lead), in = count(axes.in), num_out = count(axes.out);
  const Type &x = node.in(0), &given = node.in(1);
  if (x.rank() != lead + in || given.rank() != lead + num_out ||
      part(x.dims, 0, lead) != part(given.dims, 0, lead))
    graph::reject(node, "takes x [", joined(axes.lead, axes.in), "] and a gradient [",
                  joined(axes.lead, axes.out), "], got ", x, " and ", given);
  check_dtypes(node);
  Dims of_in = part(x.dims, lead, in), of_out = part(given.dims, lead, num_out);
  Dims bias = of_out;
  if (axes.is_transposed) std::swap(of_in, of_out);
  std::vector<Type> types = {Type(out, concatenated(std::move(of_in), of_out))};
  if (of_bias) types.emplace_back(f32, std::move(bias));
  return types;
}

/// Puts the stack in place of a weight that is cut out of it, which spares a copy. Gives the number
/// of elements before the weight.
std::int64_t weight_in_stack(const Writer& writer, const Node& node, graph::TextValue& weight) {
  Value kept = node.operands[1];
  // What is multiplied is rounded in any case.
  const Node& rounding = *kept.node();
  if (rounding.op == &graph::kConvert && rounding.in(0).dtype == f32 && kept.dtype() == bf16 &&
      node.in(0).dtype == bf16)
    kept = rounding.operands[0];
  const graph::PartOfText* part = writer.find_part(writer.name(kept));
  if (part == nullptr) return 0;
  weight = part->whole;
  return part->at;
}

void write_linear(Writer& writer, const Node& node, std::string_view target) {
  const LinearAxes& axes = node.attr<LinearAttrs>().axes;
  graph::CallAttributes attributes = {{"num_in", count(axes.in)},
                                      {"num_out", count(axes.out)},
                                      {"is_transposed", axes.is_transposed}};
  std::vector<graph::TextValue> operands = writer.text_values(node.operands);
  if (node.op == &kLinear)
    attributes.emplace("weight_at", weight_in_stack(writer, node, operands[1]));
  graph::write_custom_call(writer, node,
                           {.target = target, .attributes = attributes, .operands = operands});
}

void linear_vjp(VjpContext& c) {
  const LinearAxes& axes = c.attr<LinearAttrs>().axes;
  c.add(0, [&] {
    LinearAttrs back{{axes.lead, axes.out, axes.in, !axes.is_transposed}, c.node().in(0).dtype};
    return graph::emit(kLinear, {c.cotangent(), c.operand(1)}, std::move(back), {});
  });
  const bool has_bias = c.node().num_operands() > 2;
  if (!c.needs(1) && !(has_bias && c.needs(2))) return;
  LinearAttrs attrs{axes, c.node().in(1).dtype, has_bias};
  std::vector<Value> gradients =
      graph::emit_all(kLinearGradient, {c.operand(0), c.cotangent()}, std::move(attrs), {}, {});
  c.add(1, gradients[0]);
  if (has_bias) c.add(2, graph::cast(gradients[1], c.node().in(2).dtype));
}

// Sums over the lead of products of elements of x and of the gradient.
std::vector<Value> gradient_formula(const Node& node, std::span<const Value> operands) {
  const auto& [axes, out, of_bias] = node.attr<LinearAttrs>();
  DType dtype = multiplied(operands[0].dtype(), operands[1].dtype());
  Value x = graph::cast(operands[0], dtype), given = graph::cast(operands[1], dtype);
  Dims lead = first_dims(count(axes.lead));
  if (axes.is_transposed) std::swap(x, given);
  graph::DotDims dims{.lhs_contract = lead, .rhs_contract = lead};
  Value weight = graph::dot_general(x, given, std::move(dims), {.out = out});
  if (!of_bias) return {weight};
  return {weight, graph::reduce_sum(graph::cast(operands[1], f32), lead)};
}

std::int64_t num_rows(Value x, std::int64_t num_in) {
  std::int64_t rows = 1;
  for (std::int64_t d = 0; d < x.rank() - num_in; ++d)
    rows *= x.dim(static_cast<int>(d));
  return rows;
}

// Where the sum is split over devices, its parts are added up before the bias is.
bool takes_bias(const LinearAxes& axes) {
  if (axes.is_transposed) return false;
  const mesh::AxisRules& rules = graph::Tracer::current().activation_rules();
  return std::ranges::none_of(names(axes.in), [&](const std::string& axis) {
    const mesh::AxisRule* rule = rules.find(axis);
    return rule != nullptr && !rule->mesh_axes.empty();
  });
}

bool pays(DType dtype) {
  return dtype == bf16 ? has_bf16_pairs() && !has_bf16_tiles() : has_float_tiles();
}

Value formula(const LinearAttrs& attrs, std::span<const Value> in) {
  DType dtype = multiplied(in[0].dtype(), in[1].dtype());
  const std::int64_t num_in = count(attrs.axes.in);
  Dims own = last_dims(in[0].rank(), num_in);
  Dims weights = attrs.axes.is_transposed ? last_dims(in[1].rank(), num_in) : first_dims(num_in);
  Value out = graph::dot_general(
      graph::cast(in[0], dtype), graph::cast(in[1], dtype),
      {.lhs_contract = std::move(own), .rhs_contract = std::move(weights)}, {.out = attrs.out});
  return in.size() > 2 ? out + graph::cast(in[2], attrs.out) : out;
}

}  // namespace

Value linear(LinearAxes axes, Value x, Value weight, const LinearOptions& options, SourceLoc loc) {
  DType out = options.out.value_or(x.dtype());
  const bool is_taken_all = is_taken(x.dtype()) && is_taken(weight.dtype()) && is_taken(out);
  if (is_taken_all && pays(multiplied(x.dtype(), weight.dtype())) &&
      num_rows(x, count(axes.in)) >= kFewestRows)
    return linear_call(std::move(axes), x, weight, options, loc);
  std::vector<Value> operands = {x, weight};
  if (!options.bias.is_null()) operands.push_back(options.bias);
  return formula({std::move(axes), out}, operands);
}

Value linear_call(
    LinearAxes axes, Value x, Value weight, const LinearOptions& options, SourceLoc loc) {
  LinearAttrs attrs{std::move(axes), options.out.value_or(x.dtype())};
  std::vector<Value> operands = {x, weight};
  const bool adds_later = !options.bias.is_null() && !takes_bias(attrs.axes);
  if (!options.bias.is_null() && !adds_later) operands.push_back(options.bias);
  Value out = graph::emit_all(kLinear, operands, std::move(attrs), {}, loc)[0];
  return adds_later ? out + graph::cast(options.bias, out.dtype()) : out;
}

const OpDef kLinear{
    .name = "linear",
    .infer = infer_linear,
    .write = [](Writer& writer,
                const Node& node) { write_linear(writer, node, kLinearHandler.name); },
    .vjp = linear_vjp,
    .handler = &kLinearHandler,
    .reference =
        [](const Node& node, std::span<const Value> in) {
          return std::vector{formula(node.attr<LinearAttrs>(), in)};
        },
    .axes =
        [](const Node& node) {
          const LinearAxes& axes = node.attr<LinearAttrs>().axes;
          KernelAxes out{.operands = {joined(axes.lead, axes.in), weight_axes(axes)},
                         .results = {joined(axes.lead, axes.out)}};
          // With a bias every call needs all of the sum.
          node.num_operands() > 2 ? out.operands.push_back(axes.out)
                                  : void(out.summed = names(axes.in));
          return out;
        }};

const OpDef kLinearGradient{
    .name = "linear_gradient",
    .infer = infer_gradient,
    .write = [](Writer& writer,
                const Node& node) { write_linear(writer, node, kLinearGradientHandler.name); },
    .vjp = graph::kReferenceGradient,
    .handler = &kLinearGradientHandler,
    .reference = gradient_formula,
    .axes =
        [](const Node& node) {
          const auto& [axes, out, of_bias] = node.attr<LinearAttrs>();
          KernelAxes all{.operands = {joined(axes.lead, axes.in), joined(axes.lead, axes.out)},
                         .results = {weight_axes(axes)},
                         .summed = names(axes.lead)};
          if (of_bias) all.results.push_back(axes.out);
          return all;
        }};

}  // namespace meshwright::kernels
