// SPDX-License-Identifier: Apache-2.0
// Rectangular parts of arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/tensor/shape.h"

namespace meshwright {

/// Positions [start, stop) in one dimension.
struct Range {
  std::int64_t start = 0;
  std::int64_t stop = 0;
  std::int64_t size() const { return stop - start; }
  bool operator==(const Range&) const = default;
};

/// Returns slice notation such as "0:4".
std::string to_string(const Range& range);

using Ranges = std::vector<Range>;  // one per dimension

/// Returns the ranges of the whole array.
Ranges whole_ranges(const Dims& dims);
Dims sizes_of(const Ranges& ranges);
/// Returns the intersection of two parts of an array; nullopt if it is empty.
std::optional<Ranges> overlap(const Ranges& a, const Ranges& b);

/// The elements of a part within a row-major array, as runs of adjacent elements in the order of
/// the part. Lengths and offsets are in elements.
struct Runs {
  std::int64_t length = 0;            // length of every run
  std::vector<std::int64_t> offsets;  // offset of each run
};
/// Returns the longest possible runs: complete trailing dimensions are merged into one run. Returns
/// no runs if the part is empty.
Runs runs(const Dims& dims, const std::vector<Range>& ranges);

/// Returns the offset of a part that is a single run; nullopt otherwise. Unlike runs(), it
/// allocates nothing.
std::optional<std::int64_t> find_single_run(const Dims& dims, const Ranges& part);

/// Copies the intersection of two parts of one array. Each part is dense and row-major in memory.
void copy_overlap(const std::byte* from,
                  const Ranges& from_ranges,
                  std::byte* to,
                  const Ranges& to_ranges,
                  std::size_t element_bytes);

}  // namespace meshwright
