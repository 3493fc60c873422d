// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "meshwright/base/threefry.h"

namespace meshwright::data {

/// A pseudo-random order of 0 .. size - 1 that needs no table: a function of the key, so that
/// shuffled data needs no memory and any position can be asked for. Its values never change between
/// versions of this program.
class Permutation {
 public:
  /// Throws invalid_argument unless 0 < size <= 2^62.
  Permutation(threefry::Words key, std::int64_t size);

  /// What stands at `position`. Throws invalid_argument outside of 0 .. size - 1.
  std::int64_t operator()(std::int64_t position) const;

 private:
  std::uint64_t scramble(std::uint64_t value) const;

  threefry::Words key_;
  std::uint64_t size_;
  std::uint64_t num_left_;  // the value is left * num_right_ + right
  std::uint64_t num_right_;
};

}  // namespace meshwright::data
