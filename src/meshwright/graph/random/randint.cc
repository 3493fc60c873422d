// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/random/bits.h"
#include "meshwright/graph/random/parameters.h"
#include "meshwright/graph/random/sample.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph::random {
namespace {

std::uint64_t largest(DType dtype) {
  return ~std::uint64_t{0} >> (64 - bit_width(dtype) + (is_signed(dtype) ? 1 : 0));
}

std::int64_t smallest(DType dtype) {
  return is_signed(dtype) ? -1 - static_cast<std::int64_t>(largest(dtype)) : 0;
}

Value integer(std::uint64_t number, const Value& like) {
  return constant(static_cast<std::int64_t>(number), like.dtype(), like.dims());
}

// Returns the largest number of `dtype` that the dtype of `like` can represent.
Value largest_in(const Value& like, DType dtype) {
  return integer(std::min(largest(dtype), largest(like.dtype())), like);
}

Value clip_to(const Value& x, DType dtype) {
  Value low = constant(std::max(smallest(dtype), smallest(x.dtype())), x.dtype(), x.dims());
  return cast(clamp(low, x, largest_in(x, dtype)), dtype);
}

Value bound(const Operand& x) {
  Value value = x.value_as(s64);
  MW_CHECK(is_integer(value.dtype()), "randint: bounds must be integers, got ", value,
           origin(x.loc()));
  return value;
}

DType unsigned_of(DType dtype) {
  return bit_width(dtype) == 64 ? u64 : u32;
}

// Returns 2^bits modulo `span` as JAX computes it, by squaring 2^(bits / 2).
Value power_modulo(const Value& span) {
  Value half = remainder(integer(std::uint64_t{1} << (bit_width(span.dtype()) / 2), span), span);
  return remainder(half * half, span);
}

// Draws integers of 32 or 64 bits.
Value wide_randint(const Key& key, Value low, Value high, const Dims& dims, DType dtype) {
  Value is_beyond = high > largest_in(high, dtype);  // as in [0, 256) for u8
  Value from = clip_to(low, dtype);
  Value to = clip_to(high, dtype);
  DType word = unsigned_of(dtype);
  Value span = cast(to - from, word);
  span = where(to <= from, 1, span);
  // Where the interval covers the whole dtype, the span wraps to 0, and a remainder by 0 returns
  // the dividend.
  span = where(logical_and(is_beyond, to > from), span + 1, span);

  // Reducing twice as many random bits as needed modulo the span keeps the bias small.
  Key keys = split_batch(key, {2});
  Value upper = bits(keys.at(0, -1), dims, word);
  Value lower = bits(keys.at(1, -1), dims, word);
  Value offset = remainder(upper, span) * power_modulo(span) + remainder(lower, span);
  return from + cast(remainder(offset, span), dtype);
}

}  // namespace

Value randint(const Key& key, Operand low, Operand high, const Dims& dims, DType dtype) {
  MW_CHECK(is_integer(dtype), "randint: expected an integer dtype, got ", dtype, origin(low.loc()));
  Value from = bound(low);
  Value to = bound(high);
  for (const Value& value : {from, to})
    check_broadcast("randint", value.type(), dims, low.loc());
  if (bit_width(dtype) >= 32) return wide_randint(key, from, to, dims, dtype);
  // Narrow integers are drawn with 32 bits, which can also represent the exclusive upper bound.
  auto first = smallest(dtype);
  auto last = static_cast<std::int64_t>(largest(dtype));
  from = clamp(first, clip_to(from, s32), last);
  to = clamp(first, clip_to(to, s32), last + 1);
  return cast(wide_randint(key, from, to, dims, s32), dtype);
}

}  // namespace meshwright::graph::random
