// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace meshwright {

/// The stream of numpy.random.Philox(seed).random_raw(), bit for bit.
class NumpyPhilox {
 public:
  /// Derives the key from the seed as numpy.random.SeedSequence does. Throws invalid_argument for a
  /// negative seed.
  explicit NumpyPhilox(std::int64_t seed);

  std::uint64_t next();

 private:
  std::array<std::uint64_t, 2> key_;
  std::uint64_t counter_ = 0;  // the lowest word of the counter; the others stay 0
  std::array<std::uint64_t, 4> block_ = {};
  std::size_t next_in_block_ = 4;
};

}  // namespace meshwright
