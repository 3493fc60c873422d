// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/random/bits.h"

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/random_bits.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/graph/random/threefry.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph::random {
namespace {

Dims joined_dims(Dims first, const Dims& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// The generator's state is u64[2]; a key stores the low word of each element first.
Value rbg_bits(const Key& key, const Dims& dims, DType dtype, SourceLoc loc) {
  std::vector<Value> words = key.words();
  for (Value& word : words) {
    if (word.rank() > 0) word = reshape(take_slice(flatten(word), 0, 0, 1, loc), {}, loc);
    word = cast(word, u64);
  }
  Value state = stack({logical_or(shift_left(words[1], 32), words[0]),
                       logical_or(shift_left(words[3], 32), words[2])},
                      0, loc);
  return rng_bit_generator(state, {dtype, joined_dims(key.dims(), dims)}, loc)[1];
}

}  // namespace

Value bits(const Key& key, const Dims& dims, DType dtype, SourceLoc loc) {
  MW_CHECK(is_integer(dtype) && !is_signed(dtype) && bit_width(dtype) >= 8,
           "bits: expected u8, u16, u32 or u64, got ", dtype, origin(loc));
  return key.kind() == KeyKind::threefry
             ? threefry_bits({key.word(0), key.word(1)}, dims, dtype, loc)
             : rbg_bits(key, dims, dtype, loc);
}

}  // namespace meshwright::graph::random
