// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/numpy_philox.h"

#include <cstddef>

#include "meshwright/base/check.h"

namespace meshwright {
namespace {

// SeedSequence: two hashes with constants that change from call to call.
class SeedHash {
 public:
  constexpr SeedHash(std::uint32_t first, std::uint32_t factor)
      : constant_(first), factor_(factor) {}

  std::uint32_t operator()(std::uint32_t value) {
    value ^= constant_;
    constant_ *= factor_;
    value *= constant_;
    return value ^ (value >> 16);
  }

 private:
  std::uint32_t constant_, factor_;
};

std::uint32_t mixed(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t out = 0xca01f9ddU * a - 0x4973f715U * b;
  return out ^ (out >> 16);
}

// Returns SeedSequence(seed).generate_state(2, uint64).
std::array<std::uint64_t, 2> seeded_key(std::uint64_t seed) {
  std::array<std::uint32_t, 4> pool = {static_cast<std::uint32_t>(seed),
                                       static_cast<std::uint32_t>(seed >> 32), 0, 0};
  SeedHash hash(0x43b0d7e5U, 0x931e8875U);
  for (std::uint32_t& word : pool)
    word = hash(word);
  for (std::size_t from = 0; from < pool.size(); ++from) {
    for (std::size_t to = 0; to < pool.size(); ++to)
      if (from != to) pool[to] = mixed(pool[to], hash(pool[from]));
  }
  SeedHash state_hash(0x8b51f9ddU, 0x58f38dedU);
  for (std::uint32_t& word : pool)
    word = state_hash(word);
  return {pool[0] | std::uint64_t{pool[1]} << 32, pool[2] | std::uint64_t{pool[3]} << 32};
}

struct Product {
  std::uint64_t high, low;
};

Product product(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide wide = Wide{a} * b;
  return {static_cast<std::uint64_t>(wide >> 64), static_cast<std::uint64_t>(wide)};
}

// Philox4x64 with 10 rounds.
std::array<std::uint64_t, 4> philox(std::array<std::uint64_t, 4> words,
                                    std::array<std::uint64_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const Product a = product(0xD2E7470EE14C6C93U, words[0]);
    const Product b = product(0xCA5A826395121157U, words[2]);
    words = {b.high ^ words[1] ^ key[0], b.low, a.high ^ words[3] ^ key[1], a.low};
    key[0] += 0x9E3779B97F4A7C15U;
    key[1] += 0xBB67AE8584CAA73BU;
  }
  return words;
}

}  // namespace

NumpyPhilox::NumpyPhilox(std::int64_t seed) {
  MW_CHECK(seed >= 0, "NumPy's seeds are not negative, got ", seed);
  key_ = seeded_key(static_cast<std::uint64_t>(seed));
}

std::uint64_t NumpyPhilox::next() {
  if (next_in_block_ == block_.size()) {
    block_ = philox({++counter_, 0, 0, 0}, key_);
    next_in_block_ = 0;
  }
  return block_[next_in_block_++];
}

}  // namespace meshwright
