// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/arctangent.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/text/scalar_body.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

void check_equal_types(const Node& node) {
  const Type& a = node.in(0);
  const Type& b = node.in(1);
  if (a.dtype != b.dtype) reject(node, "dtypes differ: ", a, " and ", b, "; cast one of them");
  if (a.dims != b.dims) reject(node, "shapes differ: ", a, " and ", b);
}

std::vector<Type> infer_numbers(const Node& node) {
  check_equal_types(node);
  if (node.in(0).dtype == DType::pred) reject(node, "expects numbers, got ", node.in(0));
  return {node.in(0)};
}

std::vector<Type> infer_any(const Node& node) {
  check_equal_types(node);
  return {node.in(0)};
}

std::vector<Type> infer_floats(const Node& node) {
  check_equal_types(node);
  if (!is_float(node.in(0).dtype)) reject(node, "expects float arrays, got ", node.in(0));
  return {node.in(0)};
}

std::vector<Type> infer_bits(const Node& node) {
  check_equal_types(node);
  if (is_float(node.in(0).dtype)) reject(node, "expects booleans or integers, got ", node.in(0));
  return {node.in(0)};
}

std::vector<Type> infer_shift(const Node& node) {
  check_equal_types(node);
  if (!is_integer(node.in(0).dtype)) reject(node, "expects integers, got ", node.in(0));
  return {node.in(0)};
}

std::vector<Type> infer_compare(const Node& node) {
  check_equal_types(node);
  return {Type(DType::pred, node.in(0).dims)};
}

void write_compare(Writer& writer, const Node& node) {
  constexpr std::array kNames = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  const char* direction = kNames[static_cast<std::size_t>(node.attr<Comparison>())];
  writer.op(node, "stablehlo.compare", compare_attributes(direction, node.in(0).dtype));
}

struct Pair {
  Value a, b;
};

Pair broadcast_pair(const OpDef& op, const Operand& a, const Operand& b) {
  MW_CHECK(a.is_value() || b.is_value(), op.name,
           ": both operands are plain numbers; compute the result in C++ (", a.loc(), ")");
  if (!b.is_value()) return {a.value(), b.value_as(a.value().dtype(), a.value().dims())};
  if (!a.is_value()) return {a.value_as(b.value().dtype(), b.value().dims()), b.value()};
  if (a.value().dims() == b.value().dims()) return {a.value(), b.value()};
  Dims dims = broadcast_dims(op, std::array{a.value(), b.value()}, a.loc());
  return {broadcast_to(a.value(), dims, a.loc()), broadcast_to(b.value(), dims, b.loc())};
}

Value binary(const OpDef& op, const Operand& a, const Operand& b) {
  auto [left, right] = broadcast_pair(op, a, b);
  return emit(op, {left, right}, a.loc());
}

void add_vjp(VjpContext& c) {
  c.add(0, [&] { return c.cotangent(); });
  c.add(1, [&] { return c.cotangent(); });
}

void subtract_vjp(VjpContext& c) {
  c.add(0, [&] { return c.cotangent(); });
  c.add(1, [&] { return -c.cotangent(); });
}

void multiply_vjp(VjpContext& c) {
  c.add(0, [&] { return c.cotangent() * c.operand(1); });
  c.add(1, [&] { return c.cotangent() * c.operand(0); });
}

void divide_vjp(VjpContext& c) {
  c.add(0, [&] { return c.cotangent() / c.operand(1); });
  c.add(1, [&] { return -(c.cotangent() * c.result()) / c.operand(1); });
}

// remainder(a, b) = a - b * trunc(a / b)
void remainder_vjp(VjpContext& c) {
  c.add(0, [&] { return c.cotangent(); });
  c.add(1, [&] {
    Value quotient = c.operand(0) / c.operand(1);
    return -(c.cotangent() * sign(quotient) * floor(abs(quotient)));
  });
}

void power_vjp(VjpContext& c) {
  Value x = c.operand(0);
  Value y = c.operand(1);
  c.add(0, [&] {  // at x = y = 0, x^(y-1) would be infinite, but the derivative is 0
    Value lower = where(equal(y, 0), constant(1, y.dtype(), y.dims()), y - 1);
    return c.cotangent() * y * pow(x, lower);
  });
  c.add(1, [&] {  // at x = 0, log(x) * x^y is taken as 0
    Value base = where(equal(x, 0), constant(1, x.dtype(), x.dims()), x);
    return c.cotangent() * log(base) * c.result();
  });
}

// Equal operands get half of the gradient each, as in JAX.
void extremum_vjp(VjpContext& c) {
  auto share = [&](int own) {
    Value x = c.operand(own);
    Value y = c.operand(1 - own);
    Value half = constant(0.5, x.dtype(), x.dims());
    Value chosen = cast(equal(x, c.result()), x.dtype());
    return c.cotangent() * where(equal(x, y), half, chosen);
  };
  c.add(0, [&] { return share(0); });
  c.add(1, [&] { return share(1); });
}

void write_atan2(Writer& writer, const Node& node) {
  write_arctangent(writer, node, writer.text_value(node.operands[0]),
                   writer.text_value(node.operands[1]));
}

void atan2_vjp(VjpContext& c) {
  Value y = c.operand(0);
  Value x = c.operand(1);
  Value scaled = c.cotangent() / (square(x) + square(y));
  c.add(0, [&] { return scaled * x; });
  c.add(1, [&] { return -(scaled * y); });
}

constexpr OpDef op(std::string_view name, std::string_view mlir, InferFn infer, VjpFn vjp) {
  return {.name = name, .mlir = mlir, .infer = infer, .vjp = vjp};
}

}  // namespace

const OpDef kAdd = op("add", "stablehlo.add", infer_numbers, add_vjp);
const OpDef kSubtract = op("subtract", "stablehlo.subtract", infer_numbers, subtract_vjp);
const OpDef kMultiply = op("multiply", "stablehlo.multiply", infer_numbers, multiply_vjp);
const OpDef kDivide = op("divide", "stablehlo.divide", infer_numbers, divide_vjp);
const OpDef kRemainder = op("remainder", "stablehlo.remainder", infer_numbers, remainder_vjp);
const OpDef kPower = op("power", "stablehlo.power", infer_numbers, power_vjp);
const OpDef kMaximum = op("maximum", "stablehlo.maximum", infer_any, extremum_vjp);
const OpDef kMinimum = op("minimum", "stablehlo.minimum", infer_any, extremum_vjp);
const OpDef kAtan2{.name = "atan2", .infer = infer_floats, .write = write_atan2, .vjp = atan2_vjp};
const OpDef kAnd = op("logical_and", "stablehlo.and", infer_bits, kZeroGradient);
const OpDef kOr = op("logical_or", "stablehlo.or", infer_bits, kZeroGradient);
const OpDef kXor = op("logical_xor", "stablehlo.xor", infer_bits, kZeroGradient);
const OpDef kShiftLeft = op("shift_left", "stablehlo.shift_left", infer_shift, kZeroGradient);
const OpDef kShiftRightArithmetic =
    op("shift_right_arithmetic", "stablehlo.shift_right_arithmetic", infer_shift, kZeroGradient);
const OpDef kShiftRightLogical =
    op("shift_right_logical", "stablehlo.shift_right_logical", infer_shift, kZeroGradient);
const OpDef kNextAfter = op("next_after", "chlo.next_after", infer_floats, kNoGradient);
const OpDef kCompare{
    .name = "compare", .infer = infer_compare, .write = write_compare, .vjp = kZeroGradient};

Value operator+(Operand a, Operand b) {
  return binary(kAdd, a, b);
}
Value operator-(Operand a, Operand b) {
  return binary(kSubtract, a, b);
}
Value operator*(Operand a, Operand b) {
  return binary(kMultiply, a, b);
}
Value operator/(Operand a, Operand b) {
  return binary(kDivide, a, b);
}
Value remainder(Operand a, Operand b) {
  return binary(kRemainder, a, b);
}
Value pow(Operand base, Operand exponent) {
  return binary(kPower, base, exponent);
}
Value maximum(Operand a, Operand b) {
  return binary(kMaximum, a, b);
}
Value minimum(Operand a, Operand b) {
  return binary(kMinimum, a, b);
}
Value atan2(Operand y, Operand x) {
  return binary(kAtan2, y, x);
}
Value logical_and(Operand a, Operand b) {
  return binary(kAnd, a, b);
}
Value logical_or(Operand a, Operand b) {
  return binary(kOr, a, b);
}
Value logical_xor(Operand a, Operand b) {
  return binary(kXor, a, b);
}
Value shift_left(Operand a, Operand b) {
  return binary(kShiftLeft, a, b);
}
Value shift_right_arithmetic(Operand a, Operand b) {
  return binary(kShiftRightArithmetic, a, b);
}
Value shift_right_logical(Operand a, Operand b) {
  return binary(kShiftRightLogical, a, b);
}
Value next_after(Operand a, Operand b) {
  return binary(kNextAfter, a, b);
}

Value compare(Comparison how, Operand a, Operand b) {
  auto [left, right] = broadcast_pair(kCompare, a, b);
  return emit(kCompare, {left, right}, how, a.loc());
}

Value equal(Operand a, Operand b) {
  return compare(Comparison::eq, a, b);
}
Value not_equal(Operand a, Operand b) {
  return compare(Comparison::ne, a, b);
}
Value operator<(Operand a, Operand b) {
  return compare(Comparison::lt, a, b);
}
Value operator<=(Operand a, Operand b) {
  return compare(Comparison::le, a, b);
}
Value operator>(Operand a, Operand b) {
  return compare(Comparison::gt, a, b);
}
Value operator>=(Operand a, Operand b) {
  return compare(Comparison::ge, a, b);
}

}  // namespace meshwright::graph
