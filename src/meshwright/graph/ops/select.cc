// SPDX-License-Identifier: Apache-2.0
// Selection, clamping and conversion between dtypes.
#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

std::vector<Type> infer_select(const Node& node) {
  if (node.in(0).dtype != DType::pred)
    reject(node, "the condition is ", node.in(0), ", not boolean");
  if (node.in(1).dtype != node.in(2).dtype || node.in(1).dims != node.in(2).dims ||
      node.in(0).dims != node.in(1).dims) {
    reject(node, "condition ", node.in(0), " and sides ", node.in(1), " and ", node.in(2),
           " do not match");
  }
  return {node.in(1)};
}

void select_vjp(VjpContext& c) {
  c.add(1, [&] { return where(c.operand(0), c.cotangent(), 0); });
  c.add(2, [&] { return where(c.operand(0), 0, c.cotangent()); });
}

std::vector<Type> infer_clamp(const Node& node) {
  for (int i : {0, 2}) {
    if (node.in(i).dtype != node.in(1).dtype || node.in(i).dims != node.in(1).dims) {
      reject(node, "bounds ", node.in(0), " and ", node.in(2), " do not match ", node.in(1));
    }
  }
  return {node.in(1)};
}

void clamp_vjp(VjpContext& c) {
  Value low = c.operand(0);
  Value x = c.operand(1);
  Value high = c.operand(2);
  c.add(0, [&] { return where(logical_and(x < low, low < high), c.cotangent(), 0); });
  c.add(1, [&] { return where(logical_and(low < x, x < high), c.cotangent(), 0); });
  c.add(2, [&] { return where(high < x, c.cotangent(), 0); });
}

std::vector<Type> infer_convert(const Node& node) {
  return {Type(node.attr<DType>(), node.in(0).dims)};
}

void convert_vjp(VjpContext& c) {
  if (!is_float(c.node().out().dtype)) return;
  c.add(0, [&] { return cast(c.cotangent(), c.node().in(0).dtype); });
}

// stablehlo: bitcast_convert_c1: a narrower dtype adds a last dimension; a wider one removes it.
std::vector<Type> infer_bitcast(const Node& node) {
  const Type& in = node.in(0);
  DType to = node.attr<DType>();
  if (in.dtype == DType::pred || to == DType::pred)
    reject(node, "cannot reinterpret booleans: ", in, " to ", to, "; cast them");
  Dims dims = in.dims;
  int from_bits = bit_width(in.dtype);
  int to_bits = bit_width(to);
  if (from_bits > to_bits) dims.push_back(from_bits / to_bits);
  if (from_bits < to_bits) {
    int count = to_bits / from_bits;
    if (dims.empty() || dims.back() != count)
      reject(node, "one ", to, " needs a last dimension of ", count, ", got ", in);
    dims.pop_back();
  }
  return {Type(to, std::move(dims))};
}

struct FloatFormat {
  int exponent_bits, mantissa_bits;
};

FloatFormat float_format(const Node& node, DType dtype) {
  switch (dtype) {
    case DType::f8e4m3fn:
      return {4, 3};
    case DType::f8e5m2:
      return {5, 2};
    case DType::f16:
      return {5, 10};
    case DType::bf16:
      return {8, 7};
    case DType::f32:
      return {8, 23};
    case DType::f64:
      return {11, 52};
    default:
      reject(node, dtype, " is not a float dtype");
  }
}

std::vector<Type> infer_reduce_precision(const Node& node) {
  if (!is_float(node.in(0).dtype)) reject(node, "expects a float array, got ", node.in(0));
  float_format(node, node.attr<DType>());
  return {node.in(0)};
}

void write_reduce_precision(Writer& writer, const Node& node) {
  FloatFormat format = float_format(node, node.attr<DType>());
  writer.op(node, "stablehlo.reduce_precision",
            str("exponent_bits = ", format.exponent_bits,
                " : i32, mantissa_bits = ", format.mantissa_bits, " : i32"));
}

void reduce_precision_vjp(VjpContext& c) {
  c.add(0, [&] { return reduce_precision(c.cotangent(), c.attr<DType>()); });
}

// Broadcasts x to the shape of `like`. A plain number takes its dtype as well.
Value resolve(const Operand& x, const Value& like) {
  return broadcast_to(x.value_as(like.dtype(), like.dims()), like.dims(), x.loc());
}

}  // namespace

const OpDef kSelect{
    .name = "where", .mlir = "stablehlo.select", .infer = infer_select, .vjp = select_vjp};
const OpDef kClamp{
    .name = "clamp", .mlir = "stablehlo.clamp", .infer = infer_clamp, .vjp = clamp_vjp};
const OpDef kConvert{
    .name = "cast", .mlir = "stablehlo.convert", .infer = infer_convert, .vjp = convert_vjp};
const OpDef kBitcast{.name = "bitcast",
                     .mlir = "stablehlo.bitcast_convert",
                     .infer = infer_bitcast,
                     .vjp = kZeroGradient};
const OpDef kReducePrecision{.name = "reduce_precision",
                             .infer = infer_reduce_precision,
                             .write = write_reduce_precision,
                             .vjp = reduce_precision_vjp};

Value where(Operand condition, Operand a, Operand b) {
  MW_CHECK(condition.is_value(), "where: the condition is a plain number (", condition.loc(), ")");
  MW_CHECK(a.is_value() || b.is_value(), "where: both sides are plain numbers (", condition.loc(),
           ")");
  Value like = a.is_value() ? a.value() : b.value();
  std::array all = {condition.value(), like, b.is_value() ? b.value() : like};
  Dims dims = broadcast_dims(kSelect, all, condition.loc());
  Value shaped = broadcast_to(like, dims, condition.loc());
  Value chosen = broadcast_to(condition.value(), dims, condition.loc());
  return emit(kSelect, {chosen, resolve(a, shaped), resolve(b, shaped)}, condition.loc());
}

Value clamp(Operand low, Operand x, Operand high) {
  MW_CHECK(x.is_value(), "clamp: x is a plain number; compute the result in C++ (", x.loc(), ")");
  Value value = x.value();
  return emit(kClamp, {resolve(low, value), value, resolve(high, value)}, x.loc());
}

Value cast(Operand x, DType dtype) {
  MW_CHECK(x.is_value(), "cast: x is a plain number; use constant() (", x.loc(), ")");
  if (x.value().dtype() == dtype) return x.value();
  return emit(kConvert, {x.value()}, dtype, x.loc());
}

Value bitcast(Operand x, DType dtype) {
  MW_CHECK(x.is_value(), "bitcast: x is a plain number (", x.loc(), ")");
  if (x.value().dtype() == dtype) return x.value();
  return emit(kBitcast, {x.value()}, dtype, x.loc());
}

Value reduce_precision(Operand x, DType narrower) {
  MW_CHECK(x.is_value(), "reduce_precision: x is a plain number (", x.loc(), ")");
  return emit(kReducePrecision, {x.value()}, narrower, x.loc());
}

}  // namespace meshwright::graph
