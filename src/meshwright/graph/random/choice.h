// SPDX-License-Identifier: Apache-2.0
// Random choices and permutations, identical to those of jax.random for threefry keys.
#pragma once

#include <cstdint>
#include <optional>

#include "meshwright/graph/core/value.h"
#include "meshwright/graph/random/key.h"
#include "meshwright/graph/random/sample.h"

namespace meshwright::graph::random {

struct CategoricalOptions {
  /// The dimension of the logits to choose along.
  std::int64_t dim = -1;
  /// The shape of the result. The logits' shape without `dim` is broadcast to it. Defaults to
  /// the logits' shape without `dim`.
  std::optional<Dims> dims;
  Resolution resolution = Resolution::low;
};

/// Returns indices (s32) drawn with probabilities softmax(logits).
Value categorical(const Key& key,
                  Value logits,
                  const CategoricalOptions& options = {},
                  SourceLoc loc = SourceLoc::current());

/// Returns the numbers 0 to n - 1 (s32) in random order.
Value permutation(const Key& key, std::int64_t n, SourceLoc loc = SourceLoc::current());
/// Returns the slices of x along `dim` in random order.
Value permutation(const Key& key,
                  Value x,
                  std::int64_t dim = 0,
                  SourceLoc loc = SourceLoc::current());
/// Returns x with each vector along `dim` in its own random order.
Value independent_permutation(const Key& key,
                              Value x,
                              std::int64_t dim = 0,
                              SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph::random
