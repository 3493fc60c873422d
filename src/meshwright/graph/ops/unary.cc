// SPDX-License-Identifier: Apache-2.0
#include <numbers>

#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/arctangent.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

std::vector<Type> infer_float(const Node& node) {
  if (!is_float(node.in(0).dtype)) reject(node, "expects a float array, got ", node.in(0));
  return {node.in(0)};
}

// XLA can expand erfc only for floats of at least 16 bits.
std::vector<Type> infer_erfc(const Node& node) {
  infer_float(node);
  if (bit_width(node.in(0).dtype) < 16)
    reject(node, "expects floats of at least 16 bits, got ", node.in(0), "; cast it");
  return {node.in(0)};
}

std::vector<Type> infer_number(const Node& node) {
  if (node.in(0).dtype == DType::pred) reject(node, "expects numbers, got ", node.in(0));
  return {node.in(0)};
}

std::vector<Type> infer_signed(const Node& node) {
  if (!is_signed(node.in(0).dtype)) reject(node, "expects signed numbers, got ", node.in(0));
  return {node.in(0)};
}

std::vector<Type> infer_integer(const Node& node) {
  if (!is_integer(node.in(0).dtype)) reject(node, "expects integers, got ", node.in(0));
  return {node.in(0)};
}

std::vector<Type> infer_bits(const Node& node) {
  if (is_float(node.in(0).dtype)) reject(node, "expects booleans or integers, got ", node.in(0));
  return {node.in(0)};
}

std::vector<Type> infer_is_finite(const Node& node) {
  infer_float(node);
  return {Type(DType::pred, node.in(0).dims)};
}

Value unary(const OpDef& op, const Operand& x) {
  MW_CHECK(x.is_value(), op.name, ": the operand is a plain number; use <cmath> (", x.loc(), ")");
  return emit(op, {x.value()}, x.loc());
}

// StableHLO's sign and abs do not accept unsigned integers.
bool is_unsigned(const Operand& x) {
  return x.is_value() && is_integer(x.value().dtype()) && !is_signed(x.value().dtype());
}

// The gradient rule of y = f(x), given by a function of x, y and the cotangent g of y.
template <Value (*derivative)(Value x, Value y, Value g)>
void vjp_of(VjpContext& c) {
  c.add(0, [&] { return derivative(c.operand(0), c.result(), c.cotangent()); });
}

template <Value (*derivative)(Value x, Value y, Value g)>
constexpr OpDef float_op(std::string_view name, std::string_view mlir) {
  return {.name = name, .mlir = mlir, .infer = infer_float, .vjp = vjp_of<derivative>};
}

constexpr OpDef step_op(std::string_view name, std::string_view mlir) {
  return {.name = name, .mlir = mlir, .infer = infer_float, .vjp = kZeroGradient};
}

void write_atan(Writer& writer, const Node& node) {
  TextValue x = writer.text_value(node.operands[0]);
  std::string one = str("value = dense<1.0> : ", mlir_type(x.type));
  write_arctangent(writer, node, x, writer.aside("stablehlo.constant", {}, one, x.type));
}

Value d_negate(Value, Value, Value g) {
  return -g;
}
Value d_abs(Value x, Value, Value g) {  // at 0, the derivative from the right, as in JAX
  return where(x >= 0, g, -g);
}
Value d_exp(Value, Value y, Value g) {
  return g * y;
}
Value d_expm1(Value, Value y, Value g) {
  return g * (y + 1);
}
Value d_log(Value x, Value, Value g) {
  return g / x;
}
Value d_log1p(Value x, Value, Value g) {
  return g / (x + 1);
}
Value d_sqrt(Value, Value y, Value g) {
  return g * 0.5 / y;
}
Value d_rsqrt(Value x, Value y, Value g) {
  return g * -0.5 * y / x;
}
Value d_cbrt(Value, Value y, Value g) {
  return g / (square(y) * 3);
}
Value d_sin(Value x, Value, Value g) {
  return g * cos(x);
}
Value d_cos(Value x, Value, Value g) {
  return -(g * sin(x));
}
Value d_tan(Value, Value y, Value g) {
  return g * (square(y) + 1);
}
Value d_asin(Value x, Value, Value g) {
  return g * rsqrt(1 - square(x));
}
Value d_acos(Value x, Value, Value g) {
  return -(g * rsqrt(1 - square(x)));
}
Value d_atan(Value x, Value, Value g) {
  return g / (square(x) + 1);
}
Value d_sinh(Value x, Value, Value g) {
  return g * cosh(x);
}
Value d_cosh(Value x, Value, Value g) {
  return g * sinh(x);
}
Value d_tanh(Value, Value y, Value g) {
  return g * (1 - square(y));
}
Value d_asinh(Value x, Value, Value g) {
  return g * rsqrt(square(x) + 1);
}
Value d_acosh(Value x, Value, Value g) {
  return g * rsqrt((x - 1) * (x + 1));
}
Value d_atanh(Value x, Value, Value g) {
  return g / (1 - square(x));
}
Value d_logistic(Value, Value y, Value g) {
  return g * (y * (1 - y));
}
Value d_erf(Value x, Value, Value g) {
  return g * (2 * std::numbers::inv_sqrtpi) * exp(-square(x));
}
Value d_erfc(Value x, Value, Value g) {
  return g * (-2 * std::numbers::inv_sqrtpi) * exp(-square(x));
}
Value d_erf_inv(Value, Value y, Value g) {
  return g * (0.5 / std::numbers::inv_sqrtpi) * exp(square(y));
}
Value d_lgamma(Value x, Value, Value g) {
  return g * digamma(x);
}
Value d_digamma(Value x, Value, Value g) {
  return g * polygamma(1, x);
}

}  // namespace

const OpDef kNegate{
    .name = "negate", .mlir = "stablehlo.negate", .infer = infer_number, .vjp = vjp_of<d_negate>};
const OpDef kAbs{
    .name = "abs", .mlir = "stablehlo.abs", .infer = infer_signed, .vjp = vjp_of<d_abs>};
const OpDef kSign{
    .name = "sign", .mlir = "stablehlo.sign", .infer = infer_signed, .vjp = kZeroGradient};
const OpDef kExp = float_op<d_exp>("exp", "stablehlo.exponential");
const OpDef kExpm1 = float_op<d_expm1>("expm1", "stablehlo.exponential_minus_one");
const OpDef kLog = float_op<d_log>("log", "stablehlo.log");
const OpDef kLog1p = float_op<d_log1p>("log1p", "stablehlo.log_plus_one");
const OpDef kSqrt = float_op<d_sqrt>("sqrt", "stablehlo.sqrt");
const OpDef kRsqrt = float_op<d_rsqrt>("rsqrt", "stablehlo.rsqrt");
const OpDef kCbrt = float_op<d_cbrt>("cbrt", "stablehlo.cbrt");
const OpDef kSin = float_op<d_sin>("sin", "stablehlo.sine");
const OpDef kCos = float_op<d_cos>("cos", "stablehlo.cosine");
const OpDef kTan = float_op<d_tan>("tan", "stablehlo.tan");
const OpDef kAsin = float_op<d_asin>("asin", "chlo.asin");
const OpDef kAcos = float_op<d_acos>("acos", "chlo.acos");
const OpDef kAtan{.name = "atan", .infer = infer_float, .write = write_atan, .vjp = vjp_of<d_atan>};
const OpDef kSinh = float_op<d_sinh>("sinh", "chlo.sinh");
const OpDef kCosh = float_op<d_cosh>("cosh", "chlo.cosh");
const OpDef kTanh = float_op<d_tanh>("tanh", "stablehlo.tanh");
const OpDef kAsinh = float_op<d_asinh>("asinh", "chlo.asinh");
const OpDef kAcosh = float_op<d_acosh>("acosh", "chlo.acosh");
const OpDef kAtanh = float_op<d_atanh>("atanh", "chlo.atanh");
const OpDef kLogistic = float_op<d_logistic>("logistic", "stablehlo.logistic");
const OpDef kErf = float_op<d_erf>("erf", "chlo.erf");
const OpDef kErfc{.name = "erfc", .mlir = "chlo.erfc", .infer = infer_erfc, .vjp = vjp_of<d_erfc>};
const OpDef kErfInv = float_op<d_erf_inv>("erf_inv", "chlo.erf_inv");
const OpDef kLgamma = float_op<d_lgamma>("lgamma", "chlo.lgamma");
const OpDef kDigamma = float_op<d_digamma>("digamma", "chlo.digamma");
const OpDef kFloor = step_op("floor", "stablehlo.floor");
const OpDef kCeil = step_op("ceil", "stablehlo.ceil");
const OpDef kRoundEven = step_op("round_even", "stablehlo.round_nearest_even");
const OpDef kRoundAway = step_op("round_away", "stablehlo.round_nearest_afz");
const OpDef kIsFinite{.name = "is_finite",
                      .mlir = "stablehlo.is_finite",
                      .infer = infer_is_finite,
                      .vjp = kZeroGradient};
const OpDef kNot{
    .name = "logical_not", .mlir = "stablehlo.not", .infer = infer_bits, .vjp = kZeroGradient};
const OpDef kPopcount{
    .name = "popcount", .mlir = "stablehlo.popcnt", .infer = infer_integer, .vjp = kZeroGradient};
const OpDef kCountLeadingZeros{.name = "count_leading_zeros",
                               .mlir = "stablehlo.count_leading_zeros",
                               .infer = infer_integer,
                               .vjp = kZeroGradient};

Value operator-(Operand x) {
  return unary(kNegate, x);
}
Value abs(Operand x) {
  return is_unsigned(x) ? x.value() : unary(kAbs, x);
}
Value sign(Operand x) {
  return is_unsigned(x) ? minimum(x, 1) : unary(kSign, x);
}
Value exp(Operand x) {
  return unary(kExp, x);
}
Value expm1(Operand x) {
  return unary(kExpm1, x);
}
Value log(Operand x) {
  return unary(kLog, x);
}
Value log1p(Operand x) {
  return unary(kLog1p, x);
}
Value sqrt(Operand x) {
  return unary(kSqrt, x);
}
Value rsqrt(Operand x) {
  return unary(kRsqrt, x);
}
Value cbrt(Operand x) {
  return unary(kCbrt, x);
}
Value square(Operand x) {
  return x * x;
}
Value reciprocal(Operand x) {
  return Operand(1, x.loc()) / x;
}
Value sin(Operand x) {
  return unary(kSin, x);
}
Value cos(Operand x) {
  return unary(kCos, x);
}
Value tan(Operand x) {
  return unary(kTan, x);
}
Value asin(Operand x) {
  return unary(kAsin, x);
}
Value acos(Operand x) {
  return unary(kAcos, x);
}
Value atan(Operand x) {
  return unary(kAtan, x);
}
Value sinh(Operand x) {
  return unary(kSinh, x);
}
Value cosh(Operand x) {
  return unary(kCosh, x);
}
Value tanh(Operand x) {
  return unary(kTanh, x);
}
Value asinh(Operand x) {
  return unary(kAsinh, x);
}
Value acosh(Operand x) {
  return unary(kAcosh, x);
}
Value atanh(Operand x) {
  return unary(kAtanh, x);
}
Value logistic(Operand x) {
  return unary(kLogistic, x);
}
Value erf(Operand x) {
  return unary(kErf, x);
}
Value erfc(Operand x) {
  return unary(kErfc, x);
}
Value erf_inv(Operand x) {
  return unary(kErfInv, x);
}
Value lgamma(Operand x) {
  return unary(kLgamma, x);
}
Value digamma(Operand x) {
  return unary(kDigamma, x);
}
Value floor(Operand x) {
  return unary(kFloor, x);
}
Value ceil(Operand x) {
  return unary(kCeil, x);
}
Value round_even(Operand x) {
  return unary(kRoundEven, x);
}
Value round_away(Operand x) {
  return unary(kRoundAway, x);
}
Value is_finite(Operand x) {
  return unary(kIsFinite, x);
}
Value logical_not(Operand x) {
  return unary(kNot, x);
}
Value popcount(Operand x) {
  return unary(kPopcount, x);
}
Value count_leading_zeros(Operand x) {
  return unary(kCountLeadingZeros, x);
}

}  // namespace meshwright::graph
