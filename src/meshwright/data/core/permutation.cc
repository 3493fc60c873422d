// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/core/permutation.h"

#include <cmath>

#include "meshwright/base/check.h"

namespace meshwright::data {
namespace {

constexpr std::uint32_t kNumRounds = 8;

std::uint64_t ceil_sqrt(std::uint64_t value) {
  auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(value)));
  while (root * root < value)
    ++root;
  while (root > 1 && (root - 1) * (root - 1) >= value)
    --root;
  return root;
}

}  // namespace

Permutation::Permutation(threefry::KeyWords key, std::int64_t size)
    : key_(key), size_(static_cast<std::uint64_t>(size)), num_left_(1), num_right_(1) {
  MW_CHECK(size > 0 && size <= std::int64_t{1} << 62, "Permutation: size is ", size,
           ", expected 1 to 2^62");
  num_left_ = ceil_sqrt(size_);
  num_right_ = (size_ + num_left_ - 1) / num_left_;
}

std::int64_t Permutation::operator()(std::int64_t position) const {
  auto value = static_cast<std::uint64_t>(position);
  MW_CHECK(position >= 0 && value < size_, "Permutation: position is ", position,
           ", expected 0 to ", size_ - 1);
  // The grid of left and right parts exceeds `size` by less than a row, so cycle walking returns to
  // the range quickly. It must return, since it started there.
  do {
    value = scramble(value);
  } while (value >= size_);
  return static_cast<std::int64_t>(value);
}

// A Feistel network over an arbitrary domain (Black and Rogaway, "Ciphers with arbitrary finite
// domains"). Each round adds a hash of one part to the other, which is invertible.
std::uint64_t Permutation::scramble(std::uint64_t value) const {
  std::uint64_t left = value / num_right_;
  std::uint64_t right = value % num_right_;
  auto hashed = [&](std::uint32_t round, std::uint64_t part) {
    threefry::KeyWords words = threefry::hash(key_, {round, static_cast<std::uint32_t>(part)});
    return std::uint64_t{words[0]} << 32 | words[1];
  };
  for (std::uint32_t round = 0; round < kNumRounds; round += 2) {
    left = (left + hashed(round, right) % num_left_) % num_left_;
    right = (right + hashed(round + 1, left) % num_right_) % num_right_;
  }
  return left * num_right_ + right;
}

}  // namespace meshwright::data
