// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/zarr/array.h"

#include <algorithm>

#include "meshwright/base/check.h"
#include "meshwright/io/path.h"
#include "meshwright/io/zarr/chunk.h"
#include "meshwright/tensor/uninitialized.h"

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

void check_part(const Ranges& ranges, const ArrayType& type) {
  MW_CHECK(ranges.size() == type.dims.size(), "zarr: a part ", ranges, " of ", type);
  for (std::size_t d = 0; d < ranges.size(); ++d) {
    MW_CHECK(
        ranges[d].start >= 0 && ranges[d].start <= ranges[d].stop && ranges[d].stop <= type.dims[d],
        "zarr: a part ", ranges, " of ", type);
  }
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

Array Array::open(std::shared_ptr<const FileSystem> files,
                  std::string folder,
                  MissingChunks missing) {
  for (bool is_v2 : {true, false}) {
    std::string path = join_path(folder, is_v2 ? ".zarray" : "zarr.json");
    if (!files->find(path)) continue;
    std::string text = read_text(*files, path, kMaxMetadataBytes);
    std::string name = files->full_name(path);
    Metadata metadata = is_v2 ? parse_v2(text, name) : parse_v3(text, name);
    return Array(std::move(files), std::move(folder), std::move(metadata), missing);
  }
  fail(ErrorCode::not_found, files->full_name(folder), ": holds no array (.zarray or zarr.json)");
}

HostTensor Array::read(const Ranges& ranges) const {
  check_part(ranges, type());
  HostTensor out = uninitialized_tensor({type().dtype, sizes_of(ranges)});
  read_into(ranges, {ranges, out.mutable_data()});
  return out;
}

void Array::read_into(const Ranges& ranges, const Target& target) const {
  check_part(ranges, type());
  MW_CHECK(num_elements(sizes_of(ranges)) == 0 || overlap(ranges, target.ranges) == ranges,
           "zarr: a part ", ranges, " does not lie in ", target.ranges);
  for_each_chunk(metadata_, ranges,
                 [&](const Dims& place) { read_chunk_at(place, ranges, target); });
}

void Array::fill(const Ranges& part, const Target& target) const {
  HostTensor full = uninitialized_tensor({type().dtype, sizes_of(part)});
  fill_with({full.mutable_data(), full.num_bytes()}, metadata_.fill);
  copy_overlap(full.data(), part, target.data, target.ranges, byte_size(type().dtype));
}

void Array::read_chunk_at(const Dims& place, const Ranges& ranges, const Target& target) const {
  std::string path = join_path(folder_, metadata_.keys.key(place));
  Ranges where = chunk_ranges(metadata_, place);
  Ranges part = *overlap(where, ranges);
  std::optional<FileInfo> info = files_->find(path);
  if (!info && missing_ == MissingChunks::are_data_loss) {
    fail(ErrorCode::data_loss, files_->full_name(path), ": is missing");
  }
  // Inner chunks may be missing too; what is not there is filled before the rest comes.
  if (!info || metadata_.format.inner) fill(part, target);
  if (!info) return;
  // Of the target nothing beside the part may be touched: another thread may be at it.
  bool is_alone = part == *overlap(where, target.ranges);
  HostTensor apart;
  if (!is_alone) apart = uninitialized_tensor({type().dtype, sizes_of(part)});
  try {
    std::unique_ptr<ReadableFile> file = files_->open(path);
    read_chunk(*file, metadata_.format, type().dtype, where,
               is_alone ? target : Target{part, apart.mutable_data()});
    if (!is_alone) {
      copy_overlap(apart.data(), part, target.data, target.ranges, byte_size(type().dtype));
    }
  } catch (const Error& error) {
    const std::string name = files_->full_name(path);
    // Files name themselves, codecs do not know what they read.
    if (std::string_view(error.what()).starts_with(name)) throw;
    throw error.with_context(name);
  }
}

}  // namespace meshwright::io::zarr
