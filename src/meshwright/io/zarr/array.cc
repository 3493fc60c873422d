// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/zarr/array.h"

#include <algorithm>

#include "meshwright/base/check.h"
#include "meshwright/io/path.h"
#include "meshwright/io/zarr/chunk.h"

namespace meshwright::io::zarr {
namespace {

constexpr std::uint64_t kMaxMetadataBytes = std::uint64_t{1} << 20;

Ranges chunk_ranges(const Metadata& metadata, const Dims& place) {
  Ranges out;
  for (std::size_t d = 0; d < place.size(); ++d)
    out.push_back({place[d] * metadata.chunk[d], (place[d] + 1) * metadata.chunk[d]});
  return out;
}

void fill_with(std::span<std::byte> bytes, std::span<const std::byte> element) {
  for (std::size_t at = 0; at < bytes.size(); at += element.size())
    std::ranges::copy(element, bytes.begin() + static_cast<std::ptrdiff_t>(at));
}

// Calls f for every chunk that a part touches.
template <typename F>
void for_each_chunk(const Metadata& metadata, const Ranges& ranges, const F& f) {
  if (num_elements(sizes_of(ranges)) == 0) return;
  Dims first, last;
  for (std::size_t d = 0; d < ranges.size(); ++d) {
    first.push_back(ranges[d].start / metadata.chunk[d]);
    last.push_back((ranges[d].stop - 1) / metadata.chunk[d]);
  }
  Dims place = first;
  while (true) {
    f(place);
    std::size_t d = place.size();
    while (d > 0 && place[d - 1] == last[d - 1]) {
      --d;
      place[d] = first[d];
    }
    if (d == 0) return;
    ++place[d - 1];
  }
}

}  // namespace

Array Array::open(std::shared_ptr<const FileSystem> files, std::string folder) {
  for (bool is_v2 : {true, false}) {
    std::string path = join_path(folder, is_v2 ? ".zarray" : "zarr.json");
    if (!files->find(path)) continue;
    std::string text = read_text(*files, path, kMaxMetadataBytes);
    std::string name = files->full_name(path);
    Metadata metadata = is_v2 ? parse_v2(text, name) : parse_v3(text, name);
    return Array(std::move(files), std::move(folder), std::move(metadata));
  }
  fail(ErrorCode::not_found, files->full_name(folder), ": holds no array (.zarray or zarr.json)");
}

HostTensor Array::read(const Ranges& ranges) const {
  const Dims& dims = type().dims;
  MW_CHECK(ranges.size() == dims.size(), "zarr: a part ", ranges, " of ", type());
  for (std::size_t d = 0; d < dims.size(); ++d) {
    MW_CHECK(ranges[d].start >= 0 && ranges[d].start <= ranges[d].stop && ranges[d].stop <= dims[d],
             "zarr: a part ", ranges, " of ", type());
  }
  HostTensor out(ArrayType{type().dtype, sizes_of(ranges)});
  for_each_chunk(metadata_, ranges, [&](const Dims& place) { read_chunk_at(place, ranges, out); });
  return out;
}

void Array::read_chunk_at(const Dims& place, const Ranges& ranges, HostTensor& out) const {
  std::string path = join_path(folder_, metadata_.keys.key(place));
  Ranges where = chunk_ranges(metadata_, place);
  std::size_t element_bytes = byte_size(type().dtype);
  // Inner chunks may be missing too; what is not there is filled before the rest comes.
  std::optional<FileInfo> info = files_->find(path);
  bool needs_fill = !info || metadata_.format.inner;
  bool is_zero = std::ranges::all_of(metadata_.fill, [](std::byte b) { return b == std::byte{0}; });
  if (needs_fill && !is_zero) {
    Ranges part = *overlap(where, ranges);
    HostTensor full(ArrayType{type().dtype, sizes_of(part)});
    fill_with({full.mutable_data(), full.num_bytes()}, metadata_.fill);
    copy_overlap(full.data(), part, out.mutable_data(), ranges, element_bytes);
  }
  if (!info) return;
  try {
    std::unique_ptr<ReadableFile> file = files_->open(path);
    read_chunk(*file, metadata_.format, type().dtype, where, {ranges, out.mutable_data()});
  } catch (const Error& error) {
    throw error.with_context(files_->full_name(path));
  }
}

}  // namespace meshwright::io::zarr
