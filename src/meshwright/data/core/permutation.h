// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "meshwright/base/threefry.h"

namespace meshwright::data {

/// A pseudorandom permutation of 0 .. size - 1 that is computed from a key instead of being stored,
/// so shuffling takes no memory and any position can be looked up. Its values never change between
/// versions.
class Permutation {
 public:
  /// Throws invalid_argument unless 0 < size <= 2^62.
  Permutation(threefry::KeyWords key, std::int64_t size);

  /// Returns the value at `position`. Throws invalid_argument unless 0 <= position < size.
  std::int64_t operator()(std::int64_t position) const;
  std::int64_t size() const { return static_cast<std::int64_t>(size_); }

 private:
  std::uint64_t scramble(std::uint64_t value) const;

  threefry::KeyWords key_;
  std::uint64_t size_;
  std::uint64_t num_left_;  // a value is left * num_right_ + right
  std::uint64_t num_right_;
};

}  // namespace meshwright::data
