// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/random/bits.h"

#include <limits>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/random_bits.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/graph/tracer.h"

namespace meshwright::graph::random {
namespace {

Dims joined(Dims first, const Dims& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Value position(DType dtype, const Dims& dims, SourceLoc loc) {
  Dims strides = row_major_strides(dims);
  Value sum;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] == 1) continue;
    Value part = iota(dtype, dims, static_cast<std::int64_t>(d), loc);
    if (strides[d] != 1) part = part * strides[d];
    sum = sum.is_null() ? part : sum + part;
  }
  return sum.is_null() ? constant(0, dtype, dims, loc) : sum;
}

Value threefry_bits(const Key& key, const Dims& dims, DType dtype, SourceLoc loc) {
  auto [high, low] = threefry2x32({key.word(0), key.word(1)}, counters(key.dims(), dims, loc), loc);
  if (dtype == u64) return logical_or(shift_left(cast(high, u64), 32), cast(low, u64));
  return cast(logical_xor(high, low), dtype);
}

// The generator's state is u64[2], of which a key holds the low words first.
Value rbg_bits(const Key& key, const Dims& dims, DType dtype, SourceLoc loc) {
  std::vector<Value> words = key.words();
  for (Value& word : words) {
    if (word.rank() > 0) word = reshape(take_slice(flatten(word), 0, 0, 1, loc), {}, loc);
    word = cast(word, u64);
  }
  Value state = stack({logical_or(shift_left(words[1], 32), words[0]),
                       logical_or(shift_left(words[3], 32), words[2])},
                      0, loc);
  return rng_bit_generator(state, {dtype, joined(key.dims(), dims)}, loc)[1];
}

}  // namespace

std::array<Value, 2> counters(const Dims& batch, const Dims& dims, SourceLoc loc) {
  Dims all = joined(batch, dims);
  if (num_elements(dims) - 1 <= std::int64_t{std::numeric_limits<std::uint32_t>::max()}) {
    return {constant(0, u32, all, loc), broadcast_to(position(u32, dims, loc), all, loc)};
  }
  Value wide = position(u64, dims, loc);
  return {broadcast_to(cast(shift_right_logical(wide, 32), u32), all, loc),
          broadcast_to(cast(wide, u32), all, loc)};
}

Value bits(const Key& key, const Dims& dims, DType dtype, SourceLoc loc) {
  MW_CHECK(is_integer(dtype) && !is_signed(dtype) && bit_width(dtype) >= 8,
           "bits: u8, u16, u32 or u64, not ", dtype, origin(loc));
  return key.kind() == KeyKind::threefry ? threefry_bits(key, dims, dtype, loc)
                                         : rbg_bits(key, dims, dtype, loc);
}

}  // namespace meshwright::graph::random
