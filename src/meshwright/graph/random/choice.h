// SPDX-License-Identifier: Apache-2.0
// Random choices and orders, equal to jax.random's for threefry keys.
#pragma once

#include <cstdint>
#include <optional>

#include "meshwright/graph/core/value.h"
#include "meshwright/graph/random/key.h"
#include "meshwright/graph/random/sample.h"

namespace meshwright::graph::random {

struct CategoricalOptions {
  /// The dimension of the logits that the choice is made along.
  std::int64_t dim = -1;
  /// The shape that is drawn; the logits without `dim` are repeated to it. Absent: that shape.
  std::optional<Dims> dims;
  Resolution resolution = Resolution::low;
};

/// Indices (s32) with probabilities softmax(logits).
Value categorical(const Key& key,
                  Value logits,
                  const CategoricalOptions& options = {},
                  SourceLoc loc = SourceLoc::current());

/// The numbers below n (s32) in random order.
Value permutation(const Key& key, std::int64_t n, SourceLoc loc = SourceLoc::current());
/// The slices of x along `dim` in random order.
Value permutation(const Key& key,
                  Value x,
                  std::int64_t dim = 0,
                  SourceLoc loc = SourceLoc::current());
/// Each vector of x along `dim` in an order of its own.
Value independent_permutation(const Key& key,
                              Value x,
                              std::int64_t dim = 0,
                              SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph::random
