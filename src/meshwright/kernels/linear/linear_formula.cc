// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/linear/linear_formula.h"

#include <algorithm>
#include <utility>

#include "meshwright/graph/ops/barrier.h"
#include "meshwright/graph/ops/dot.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/tensor/axis_spec.h"

namespace meshwright::kernels {

using graph::Node;
using graph::Value;

namespace {

Dims last_dims(std::int64_t rank, std::int64_t num) {
  Dims out;
  for (std::int64_t d = rank - num; d < rank; ++d)
    out.push_back(d);
  return out;
}

Dims first_dims(std::int64_t num) {
  return last_dims(num, num);
}

// Returns x times the weight, summed over the weight's `in` axes if `over_in`, otherwise over its
// `out` axes.
Value product(const LinearAxes& axes, Value x, Value weight, bool over_in, DType out) {
  const DType dtype = multiplied_dtype(x.dtype(), weight.dtype());
  const std::int64_t num = num_axes(over_in ? axes.in : axes.out);
  const bool is_last = axes.is_transposed == over_in;
  return graph::dot_general(
      graph::cast(x, dtype), graph::cast(weight, dtype),
      {.lhs_contract = last_dims(x.rank(), num),
       .rhs_contract = is_last ? last_dims(weight.rank(), num) : first_dims(num)},
      {.out = out});
}

}  // namespace

std::vector<std::string> axis_names(const std::string& axes) {
  std::vector<std::string_view> found = AxisSpec::parse(axes).names();
  return {found.begin(), found.end()};
}

std::int64_t num_axes(const std::string& axes) {
  return static_cast<std::int64_t>(axis_names(axes).size());
}

DType multiplied_dtype(DType a, DType b) {
  return a == bf16 || b == bf16 ? bf16 : std::max(a, b);
}

LinearExtras linear_extras(const LinearAttrs& attrs, std::span<const Value> operands) {
  std::size_t next = 2;
  auto take = [&](bool is_there) { return is_there ? operands[next++] : Value(); };
  Value bias = take(attrs.has_bias), factor = take(attrs.has_factor);
  return {bias, factor, take(attrs.has_addend)};
}

Value linear_formula(const LinearAttrs& attrs,
                     Value activated,
                     Value weight,
                     const LinearExtras& extras) {
  Value out = product(attrs.axes, activated, weight, true, attrs.out);
  if (!extras.bias.is_null()) out = out + graph::cast(extras.bias, attrs.out);
  return extras.addend.is_null() ? out : out + extras.addend;
}

std::vector<Value> linear_reference(const Node& node, std::span<const Value> operands) {
  const auto& attrs = node.attr<LinearAttrs>();
  LinearExtras extras = linear_extras(attrs, operands);
  Value x = operands[0];
  if (attrs.activation) x = activation_formula(*attrs.activation, x, extras.factor);
  return {linear_formula(attrs, x, operands[1], extras)};
}

InputGradients differentiate_activated(Activation activation, Value x, Value factor, Value given) {
  x = graph::optimization_barrier({x, given})[0];
  auto [d_x, d_factor] = activation_gradient_formula(activation, x, factor, given);
  return {activation_formula(activation, x, factor), d_x, d_factor};
}

// The weight's gradient: the left operand times the result's gradient, summed over the lead axes.
std::vector<Value> linear_gradient_reference(const Node& node, std::span<const Value> operands) {
  const auto& attrs = node.attr<LinearAttrs>();
  const DType dtype = multiplied_dtype(operands[0].dtype(), operands[1].dtype());
  const Dims lead = first_dims(num_axes(attrs.axes.lead));
  Value left = graph::cast(operands[0], dtype), right = graph::cast(operands[1], dtype);
  if (attrs.axes.is_transposed) std::swap(left, right);
  Value weight = graph::dot_general(left, right, {.lhs_contract = lead, .rhs_contract = lead},
                                    {.out = attrs.out});
  if (!attrs.has_bias) return {weight};
  return {weight, graph::reduce_sum(graph::cast(operands[1], f32), lead)};
}

std::vector<Value> activated_gradient_reference(const Node& node, std::span<const Value> operands) {
  const auto& attrs = node.attr<LinearAttrs>();
  Value x = operands[2], factor = attrs.has_factor ? operands[3] : Value();
  Value given = product(attrs.axes, operands[0], operands[1], false, x.dtype());
  InputGradients all = differentiate_activated(*attrs.activation, x, factor, given);
  std::vector<Value> out = {all.multiplied, all.d_x};
  if (attrs.has_factor) out.push_back(all.d_factor);
  return out;
}

}  // namespace meshwright::kernels
