// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/dropout/dropping.h"

#include <array>
#include <cmath>
#include <span>

#include "meshwright/kernels/common/ranges.h"

namespace meshwright::kernels {
namespace {

// The random bits of this many elements stay in the L1 cache.
constexpr std::int64_t kElementsAtOnce = 1 << 11;

/// Uniform numbers in [0, 1) are drawn as 23-bit fractions; keeps those below this threshold.
std::uint32_t least_dropped(float keep_probability) {
  return static_cast<std::uint32_t>(std::ceil(std::ldexp(double{keep_probability}, 23)));
}

}  // namespace

// Multiplies by the reciprocal, as XLA does for a constant divisor, to get the formula's bits.
Dropping::Dropping(threefry::KeyWords key, float keep_probability)
    : key_(key),
      stay_{.least_dropped = least_dropped(keep_probability), .factor = 1 / keep_probability} {}

template <typename T>
void Dropping::drop(std::int64_t first, const T* x, std::int64_t size, T* out) const {
  std::array<std::uint32_t, kElementsAtOnce> bits;
  for (std::int64_t i = 0; i < num_chunks(size, kElementsAtOnce); ++i) {
    const Range some = chunk_of({0, size}, kElementsAtOnce, i);
    threefry::fill_bits32(key_, static_cast<std::uint64_t>(first + some.begin),
                          std::span(bits).first(static_cast<std::size_t>(some.size())));
    drop_elements(stay_, bits.data(), x + some.begin, some.size(), out + some.begin);
  }
}

Dropping dropping_of(const pjrt::KernelCall& call, int first_word) {
  auto word = [&](int i) { return call.input(i).values<std::uint32_t>()[0]; };
  return {{word(first_word), word(first_word + 1)}, static_cast<float>(call.attr<double>("p"))};
}

template void Dropping::drop(std::int64_t, const float*, std::int64_t, float*) const;
template void Dropping::drop(std::int64_t, const BFloat16*, std::int64_t, BFloat16*) const;

}  // namespace meshwright::kernels
