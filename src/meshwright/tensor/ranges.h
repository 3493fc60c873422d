// SPDX-License-Identifier: Apache-2.0
// Parts of arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/tensor/shape.h"

namespace meshwright {

/// Positions [start, stop) of one dimension.
struct Range {
  std::int64_t start = 0;
  std::int64_t stop = 0;
  std::int64_t size() const { return stop - start; }
  bool operator==(const Range&) const = default;
};

/// "0:4", as a slice.
std::string to_string(const Range& range);

using Ranges = std::vector<Range>;  // one per dimension

/// All of an array.
Ranges whole_ranges(const Dims& dims);
Dims sizes_of(const Ranges& ranges);
/// What two parts of one array share; nullopt if that is nothing.
std::optional<Ranges> overlap(const Ranges& a, const Ranges& b);

/// Where the elements of a part lie in the whole array, row-major: runs of adjacent elements, in
/// the order they have in the part. Counted in elements.
struct Runs {
  std::int64_t length = 0;            // of every run
  std::vector<std::int64_t> offsets;  // of the first element of each
};
/// The longest runs there are: dimensions that are whole belong to one run. No runs if the part is
/// empty.
Runs runs(const Dims& dims, const std::vector<Range>& ranges);

/// The offset of a part that is one run; nullopt for others. Needs no memory for those of many.
std::optional<std::int64_t> find_single_run(const Dims& dims, const Ranges& part);

/// Copies what two parts of one array share. Each is row-major in memory, without gaps.
void copy_overlap(const std::byte* from,
                  const Ranges& from_ranges,
                  std::byte* to,
                  const Ranges& to_ranges,
                  std::size_t element_bytes);

}  // namespace meshwright
