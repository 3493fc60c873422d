// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tensor/ranges.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "meshwright/base/str.h"
#include "meshwright/tensor/copy_strided.h"

namespace meshwright {

std::string to_string(const Range& range) {
  return str(range.start, ":", range.stop);
}

Ranges whole_ranges(const Dims& dims) {
  Ranges out;
  for (std::int64_t size : dims)
    out.push_back({0, size});
  return out;
}

Dims sizes_of(const Ranges& ranges) {
  Dims out;
  for (const Range& range : ranges)
    out.push_back(range.size());
  return out;
}

std::optional<Ranges> overlap(const Ranges& a, const Ranges& b) {
  assert(a.size() == b.size());
  Ranges out;
  for (std::size_t i = 0; i < a.size(); ++i) {
    out.push_back({std::max(a[i].start, b[i].start), std::min(a[i].stop, b[i].stop)});
    if (out.back().size() <= 0) return std::nullopt;
  }
  return out;
}

Runs runs(const Dims& dims, const std::vector<Range>& ranges) {
  assert(dims.size() == ranges.size());
  std::size_t outer = dims.size();  // earlier dimensions select a run
  Runs out{.length = 1, .offsets = {0}};
  Dims strides = row_major_strides(dims);
  for (bool whole = true; whole && outer > 0;) {
    --outer;
    out.length *= ranges[outer].size();
    out.offsets[0] = ranges[outer].start * strides[outer];
    whole = ranges[outer].size() == dims[outer];
  }
  if (out.length == 0) return {};
  while (outer-- > 0) {
    std::vector<std::int64_t> offsets;
    offsets.reserve(out.offsets.size() * static_cast<std::size_t>(ranges[outer].size()));
    for (std::int64_t at = ranges[outer].start; at < ranges[outer].stop; ++at) {
      for (std::int64_t offset : out.offsets)
        offsets.push_back(at * strides[outer] + offset);
    }
    out.offsets = std::move(offsets);
  }
  return out;
}

std::optional<std::int64_t> find_single_run(const Dims& dims, const Ranges& part) {
  const Dims strides = row_major_strides(dims);
  std::int64_t offset = 0;
  bool is_whole = true;  // true while all later dimensions are complete
  for (std::size_t d = dims.size(); d-- > 0;) {
    if (part[d].size() == 0 || (!is_whole && part[d].size() > 1)) return std::nullopt;
    is_whole = is_whole && part[d].size() == dims[d];
    offset += part[d].start * strides[d];
  }
  return offset;
}

namespace {

// Returns the part relative to the origin of an enclosing part.
Ranges relative_to(const Ranges& origin, Ranges part) {
  for (std::size_t i = 0; i < part.size(); ++i) {
    part[i].start -= origin[i].start;
    part[i].stop -= origin[i].start;
  }
  return part;
}

}  // namespace

void copy_overlap(const std::byte* from,
                  const Ranges& from_ranges,
                  std::byte* to,
                  const Ranges& to_ranges,
                  std::size_t element_bytes) {
  std::optional<Ranges> shared = overlap(from_ranges, to_ranges);
  if (!shared) return;
  const Ranges source = relative_to(from_ranges, *shared);
  const Ranges target = relative_to(to_ranges, *shared);
  const Dims from_strides = row_major_strides(sizes_of(from_ranges));
  const Dims to_strides = row_major_strides(sizes_of(to_ranges));
  std::int64_t from_offset = 0;
  std::int64_t to_offset = 0;
  std::vector<StridedDim> moved;
  for (std::size_t d = 0; d < shared->size(); ++d) {
    from_offset += source[d].start * from_strides[d];
    to_offset += target[d].start * to_strides[d];
    moved.push_back({(*shared)[d].size(), from_strides[d], to_strides[d]});
  }
  const auto bytes = static_cast<std::int64_t>(element_bytes);
  copy_strided(from + from_offset * bytes, to + to_offset * bytes, std::move(moved), element_bytes);
}

}  // namespace meshwright
