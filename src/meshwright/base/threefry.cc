// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/threefry.h"

#include <bit>
#include <limits>

namespace meshwright::threefry {
namespace {

bool fits_32_bits(std::int64_t seed) {
  return seed >= std::numeric_limits<std::int32_t>::min() &&
         seed <= std::int64_t{std::numeric_limits<std::uint32_t>::max()};
}

}  // namespace

KeyWords key(std::int64_t seed, SeedWidth width) {
  auto bits = static_cast<std::uint64_t>(seed);
  auto low = static_cast<std::uint32_t>(bits);
  bool narrow = width == SeedWidth::bits32 || (width == SeedWidth::automatic && fits_32_bits(seed));
  return {narrow ? 0 : static_cast<std::uint32_t>(bits >> 32), low};
}

KeyWords hash(KeyWords key, KeyWords counter) {
  const std::array<std::uint32_t, 3> schedule = {key[0], key[1], key[0] ^ key[1] ^ kParity};
  auto [x0, x1] = counter;
  x0 += schedule[0];
  x1 += schedule[1];
  for (std::uint32_t group = 0; group < 5; ++group) {
    for (int rotation : kRotations[group % 2]) {
      x0 += x1;
      x1 = std::rotl(x1, rotation) ^ x0;
    }
    x0 += schedule[(group + 1) % 3];
    x1 += schedule[(group + 2) % 3] + group + 1;
  }
  return {x0, x1};
}

std::vector<KeyWords> split(KeyWords key, std::uint64_t num) {
  std::vector<KeyWords> keys;
  keys.reserve(num);
  for (std::uint64_t i = 0; i < num; ++i)
    keys.push_back(block(key, i));
  return keys;
}

}  // namespace meshwright::threefry
