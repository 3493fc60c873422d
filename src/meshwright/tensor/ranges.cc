// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tensor/ranges.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "meshwright/base/str.h"

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
  std::size_t outer = dims.size();  // dimensions before this one select a run
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

namespace {

// The same part, seen from a part around it.
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
  Runs source = runs(sizes_of(from_ranges), relative_to(from_ranges, *shared));
  Runs target = runs(sizes_of(to_ranges), relative_to(to_ranges, *shared));
  // The longer runs of one side are whole numbers of the shorter ones of the other.
  std::int64_t length = std::min(source.length, target.length);
  auto offset = [&](const Runs& all, std::int64_t piece) {
    std::int64_t per_run = all.length / length;
    return all.offsets[static_cast<std::size_t>(piece / per_run)] + piece % per_run * length;
  };
  std::int64_t num_pieces = std::ssize(source.offsets) * (source.length / length);
  auto bytes = static_cast<std::int64_t>(element_bytes);
  for (std::int64_t piece = 0; piece < num_pieces; ++piece) {
    std::memcpy(to + offset(target, piece) * bytes, from + offset(source, piece) * bytes,
                static_cast<std::size_t>(length * bytes));
  }
}

}  // namespace meshwright
