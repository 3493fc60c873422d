// SPDX-License-Identifier: Apache-2.0
// Ranges of indices, and splitting them into chunks for parallel loops.
#pragma once

#include <algorithm>
#include <cstdint>

namespace meshwright::kernels {

/// Returns the number of chunks of `chunk` elements needed to cover `size` elements.
constexpr std::int64_t num_chunks(std::int64_t size, std::int64_t chunk) {
  return (size + chunk - 1) / chunk;
}

constexpr std::int64_t rounded_up(std::int64_t size, std::int64_t step) {
  return num_chunks(size, step) * step;
}

struct Range {
  std::int64_t begin, end;
  std::int64_t size() const { return end - begin; }
};

/// Returns chunk `index` of a range. Each chunk has `chunk` elements; the last may be shorter.
inline Range chunk_of(Range whole, std::int64_t chunk, std::int64_t index) {
  const std::int64_t begin = whole.begin + index * chunk;
  return {begin, std::min(whole.end, begin + chunk)};
}

}  // namespace meshwright::kernels
