// SPDX-License-Identifier: Apache-2.0
// Applies operations in JAX's order; any other order would round differently.
#include "meshwright/graph/random/sample.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/graph/random/bits.h"
#include "meshwright/graph/random/parameters.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph::random {
namespace {

// Returns a bound or parameter in the dtype of the draw.
Value parameter(std::string_view function, const Operand& x, DType dtype, const Dims& dims) {
  Value value = cast(x.value_as(dtype), dtype);
  check_broadcast(function, value.type(), dims, x.loc());
  return value;
}

// Returns numbers in [0, 1): subtracts 1 from numbers in [1, 2) with random mantissas.
Value unit_floats(const Key& key, const Dims& dims, DType dtype, SourceLoc loc) {
  FloatFormat format = float_format("uniform", dtype, loc);
  bool narrow = format.mantissa_bits < 8;  // a byte is enough
  DType drawn = narrow ? u8 : format.same_width;
  Value random = cast(bits(key, dims, drawn, loc), format.same_width);
  Value mantissa = shift_right_logical(random, bit_width(drawn) - format.mantissa_bits);
  auto one = constant(static_cast<std::int64_t>(format.one), format.same_width, {}, loc);
  return bitcast(logical_or(mantissa, one), dtype) - 1;
}

// Returns two arrays from one draw of shape [2] + dims.
std::array<Value, 2> uniform_pair(const Key& key, const Dims& dims, DType dtype) {
  Dims both = dims;
  both.insert(both.begin(), 2);
  Value drawn = uniform(key, both, dtype);
  auto at = static_cast<std::int64_t>(key.dims().size());
  return {take_index(drawn, at, 0), take_index(drawn, at, 1)};
}

Value sqrt2(DType dtype, SourceLoc loc) {
  return constant(std::numbers::sqrt2, dtype, {}, loc);
}

}  // namespace

Value uniform(const Key& key, const Dims& dims, DType dtype, Operand low, Operand high) {
  Value from = parameter("uniform", low, dtype, dims);
  Value to = parameter("uniform", high, dtype, dims);
  Value unit = unit_floats(key, dims, dtype, low.loc());
  return maximum(from, unit * (to - from) + from);
}

Value normal(const Key& key, const Dims& dims, DType dtype, SourceLoc loc) {
  int mantissa_bits = float_format("normal", dtype, loc).mantissa_bits;
  double above_minus_one = std::ldexp(1.0, -mantissa_bits - 1) - 1.0;
  Value u = uniform(key, dims, dtype, Operand(above_minus_one, loc), Operand(1.0, loc));
  return sqrt2(dtype, loc) * erf_inv(u);
}

Value truncated_normal(const Key& key, Operand low, Operand high, const Dims& dims, DType dtype) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Value root = sqrt2(dtype, low.loc());
  Value from = parameter("truncated_normal", low, dtype, dims);
  Value to = parameter("truncated_normal", high, dtype, dims);
  Value u = uniform(key, dims, dtype, erf(from / root), erf(to / root));
  Value x = root * erf_inv(u);
  // Keeps x in the open interval despite rounding and draws of the lower bound itself.
  return minimum(next_after(to, -kInfinity), maximum(next_after(from, kInfinity), x));
}

Value bernoulli(const Key& key, Operand p, const Dims& dims, Resolution resolution) {
  Value probability = p.value_as(f32);
  DType dtype = probability.dtype();
  FloatFormat format = float_format("bernoulli", dtype, p.loc());
  probability = parameter("bernoulli", probability, dtype, dims);
  if (resolution == Resolution::low) return uniform(key, dims, dtype) < probability;
  auto [coarse, fine] = uniform_pair(key, dims, dtype);
  return fine * std::ldexp(1.0, -format.mantissa_bits) < probability - coarse;
}

Value exponential(const Key& key, const Dims& dims, DType dtype, SourceLoc loc) {
  return -log1p(-uniform(key, dims, dtype, Operand(0.0, loc)));
}

Value gumbel(const Key& key, const Dims& dims, DType dtype, Resolution resolution, SourceLoc loc) {
  FloatFormat format = float_format("gumbel", dtype, loc);
  if (resolution == Resolution::low) {
    return -log(-log(uniform(key, dims, dtype, Operand(format.tiny, loc))));
  }
  auto [coarse, fine] = uniform_pair(key, dims, dtype);
  double step = std::ldexp(1.0, -format.mantissa_bits);
  double not_zero = std::max(step * step / 2, format.tiny);
  Value x = where(coarse >= 0.5, coarse, coarse + step * fine + not_zero);
  return -log(-log1p(-x));
}

}  // namespace meshwright::graph::random
