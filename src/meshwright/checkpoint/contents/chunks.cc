// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/contents/chunks.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "meshwright/base/check.h"

namespace meshwright::checkpoint {
namespace {

// Returns the number of rows of `size` in a chunk, at most `limit` if possible.
std::int64_t rows_within(std::int64_t size, std::int64_t limit, bool is_whole) {
  std::int64_t fewest = (size + limit - 1) / limit;
  for (std::int64_t pieces = fewest; 4 * (size / pieces) >= limit; ++pieces) {
    if (size % pieces == 0) return size / pieces;
  }
  if (!is_whole) return size;           // chunks must not reach into the next part
  return (size + fewest - 1) / fewest;  // the last chunk is stored with padding
}

}  // namespace

std::vector<Ranges> pieces_of(const Ranges& part, const Dims& chunk) {
  // If one dimension is empty, the others may have any size.
  if (std::ranges::any_of(part, [](const Range& range) { return range.size() == 0; })) return {};
  std::vector<Ranges> out(1);
  for (std::size_t d = 0; d < part.size(); ++d) {
    std::vector<Ranges> longer;
    for (const Ranges& front : out) {
      for (std::int64_t at = part[d].start; at < part[d].stop;) {
        std::int64_t stop = std::min(part[d].stop, (at / chunk[d] + 1) * chunk[d]);
        longer.push_back(front);
        longer.back().push_back({at, stop});
        at = stop;
      }
    }
    out = std::move(longer);
  }
  return out;
}

Dims chunk_within(const Dims& part, const ArrayType& array, std::int64_t max_bytes) {
  Dims out = part;
  auto bytes = static_cast<std::int64_t>(byte_size(array.dtype));
  for (std::int64_t size : part)
    bytes *= size;
  for (std::size_t d = 0; d < out.size() && bytes > max_bytes; ++d) {
    std::int64_t row = bytes / out[d];
    out[d] =
        rows_within(out[d], std::max(max_bytes / row, std::int64_t{1}), part[d] == array.dims[d]);
    bytes = row * out[d];
    if (out[d] > 1) break;
  }
  return out;
}

Dims part_dims(const ArrayParts& array) {
  MW_CHECK(!array.parts.empty(), "checkpoint: ", array.type, " has no parts");
  Dims out = sizes_of(array.parts[0].ranges);
  for (std::int64_t& size : out)
    size = std::max(size, std::int64_t{1});
  std::int64_t num_covered = 0;
  for (const Part& part : array.parts) {
    MW_CHECK(part.ranges.size() == array.type.dims.size() &&
                 part.value.type() == (ArrayType{array.type.dtype, sizes_of(part.ranges)}),
             "checkpoint: a part ", part.ranges, " of ", array.type, " has ", part.value.type());
    for (std::size_t d = 0; d < out.size(); ++d) {
      const Range& range = part.ranges[d];
      bool fits = range.start % out[d] == 0 &&
                  range.stop == std::min(array.type.dims[d], range.start + out[d]);
      MW_CHECK(fits, "checkpoint: a part ", part.ranges, " of ", array.type,
               " does not belong to a grid of equal parts ", out);
    }
    num_covered += part.value.num_elements();
  }
  MW_CHECK(num_covered == num_elements(array.type.dims), "checkpoint: the parts of ", array.type,
           " have ", num_covered, " elements");
  return out;
}

HostTensor cut(const Part& part, const Ranges& piece) {
  if (piece == part.ranges) return part.value;
  Ranges inside = piece;
  for (std::size_t d = 0; d < piece.size(); ++d) {
    inside[d] = {piece[d].start - part.ranges[d].start, piece[d].stop - part.ranges[d].start};
  }
  ArrayType type{part.value.dtype(), sizes_of(piece)};
  const std::size_t element_bytes = byte_size(type.dtype);
  if (const std::optional<std::int64_t> offset = find_single_run(part.value.dims(), inside)) {
    auto whole = std::make_shared<HostTensor>(part.value);
    std::byte* first = whole->mutable_data() + static_cast<std::size_t>(*offset) * element_bytes;
    return {std::move(type), std::shared_ptr<std::byte>(std::move(whole), first)};
  }
  HostTensor out(std::move(type));
  copy_overlap(part.value.data(), part.ranges, out.mutable_data(), piece, element_bytes);
  return out;
}

}  // namespace meshwright::checkpoint
