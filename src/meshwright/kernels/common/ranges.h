// SPDX-License-Identifier: Apache-2.0
// How kernels cut their work into parts.
#pragma once

#include <algorithm>
#include <cstdint>

namespace meshwright::kernels {

constexpr std::int64_t num_parts(std::int64_t size, std::int64_t part) {
  return (size + part - 1) / part;
}

constexpr std::int64_t rounded_up(std::int64_t size, std::int64_t step) {
  return num_parts(size, step) * step;
}

struct Range {
  std::int64_t begin, end;
  std::int64_t size() const { return end - begin; }
};

/// Part `index` of a range, of `part` elements but for the last one.
inline Range part_of(Range whole, std::int64_t part, std::int64_t index) {
  const std::int64_t begin = whole.begin + index * part;
  return {begin, std::min(whole.end, begin + part)};
}

}  // namespace meshwright::kernels
