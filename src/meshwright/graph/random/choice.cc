// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/random/choice.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/dims.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/gather.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/sort.h"
#include "meshwright/graph/random/bits.h"
#include "meshwright/graph/random/parameters.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph::random {
namespace {

// Sorting by random 32-bit keys leaves elements with equal keys in their original order. Repeating
// the sort with fresh keys makes it unlikely that two elements tie every time.
int num_rounds(std::int64_t num_elements) {
  constexpr double kExponent = 3;
  double keys = std::log(static_cast<double>(std::numeric_limits<std::uint32_t>::max()));
  double elements = std::log(static_cast<double>(std::max<std::int64_t>(1, num_elements)));
  return static_cast<int>(std::ceil(kExponent * elements / keys));
}

void check_single(const Key& key, SourceLoc loc) {
  MW_CHECK(key.dims().empty(), "permutation: expected one key, got a batch ", key.dims(),
           "; select one with at()", origin(loc));
}

Value shuffled(Key key, Value x, std::int64_t dim, SourceLoc loc) {
  int rounds = num_rounds(num_elements(x.dims()));
  for (int i = 0; i < rounds; ++i) {
    std::vector<Key> keys = split(key, 2, loc);
    key = keys[0];
    x = sort({bits(keys[1], x.dims(), u32, loc), x}, {.dim = dim}, loc)[1];
  }
  return x;
}

}  // namespace

Value categorical(const Key& key, Value logits, const CategoricalOptions& options, SourceLoc loc) {
  std::int64_t rank = logits.rank();
  std::int64_t dim = from_start(options.dim, logits.rank());
  MW_CHECK(dim >= 0 && dim < rank, "categorical: dimension ", options.dim, " is out of range for ",
           logits, origin(loc));
  Dims batch = logits.dims();
  batch.erase(batch.begin() + dim);
  Dims dims = options.dims.value_or(batch);
  check_broadcast("categorical", {logits.dtype(), batch}, dims, loc);

  // Reinserts the logits' dimension at the same distance from the end.
  Dims noisy = dims;
  noisy.insert(noisy.end() - (rank - 1 - dim), logits.dim(static_cast<int>(dim)));
  Value noise = gumbel(key, noisy, logits.dtype(), options.resolution, loc);
  return argmax(Operand(noise, loc) + logits, dim - rank, s32, loc);
}

Value permutation(const Key& key, std::int64_t n, SourceLoc loc) {
  check_single(key, loc);
  return shuffled(key, iota(s32, {n}, 0, loc), 0, loc);
}

Value permutation(const Key& key, Value x, std::int64_t dim, SourceLoc loc) {
  check_single(key, loc);
  dim = from_start(dim, x.rank());
  MW_CHECK(dim >= 0 && dim < x.rank(), "permutation: dimension ", dim, " is out of range for ", x,
           origin(loc));
  if (x.rank() == 1) return shuffled(key, x, 0, loc);
  return take(x, permutation(key, x.dim(static_cast<int>(dim)), loc), dim, {}, loc);
}

Value independent_permutation(const Key& key, Value x, std::int64_t dim, SourceLoc loc) {
  check_single(key, loc);
  return shuffled(key, x, from_start(dim, x.rank()), loc);
}

}  // namespace meshwright::graph::random
