// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/zarr/array.h"

#include <utility>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/io/path.h"
#include "meshwright/io/zarr/chunk.h"
#include "meshwright/tensor/copy_strided.h"
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

void check_part(const Ranges& ranges, const ArrayType& type) {
  MW_CHECK(ranges.size() == type.dims.size(), "zarr: part ", ranges, " does not fit into ", type);
  for (std::size_t d = 0; d < ranges.size(); ++d) {
    MW_CHECK(
        ranges[d].start >= 0 && ranges[d].start <= ranges[d].stop && ranges[d].stop <= type.dims[d],
        "zarr: part ", ranges, " does not fit into ", type);
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
  fail(ErrorCode::not_found, files->full_name(folder),
       ": contains no array (.zarray or zarr.json)");
}

HostTensor Array::read(const Ranges& ranges) const {
  check(ranges);
  HostTensor out = uninitialized_tensor({type().dtype, sizes_of(ranges)});
  read_into(ranges, {ranges, out.mutable_data()});
  return out;
}

void Array::read_into(const Ranges& ranges, const Target& target) const {
  check_part(ranges, type());
  MW_CHECK(num_elements(sizes_of(ranges)) == 0 || overlap(ranges, target.ranges) == ranges,
           "zarr: part ", ranges, " is not within ", target.ranges);
  for_each_place(ranges, metadata_.chunk,
                 [&](const Dims& place) { read_chunk_at(place, ranges, target); });
}

void Array::check(const Ranges& ranges) const {
  check_part(ranges, type());
  for_each_place(ranges, metadata_.chunk, [&](const Dims& place) {
    const std::string path = join_path(folder_, metadata_.keys.key(place));
    if (const std::optional<std::uint64_t> num_bytes = find_chunk(path))
      check_chunk(path, *num_bytes, chunk_ranges(metadata_, place));
  });
}

std::optional<std::uint64_t> Array::find_chunk(const std::string& path) const {
  const std::optional<FileInfo> info = files_->find(path);
  if (info) return info->num_bytes;
  if (missing_ == MissingChunks::are_fill) return std::nullopt;
  fail(ErrorCode::data_loss, files_->full_name(path), ": is missing");
}

void Array::check_chunk(const std::string& path,
                        std::uint64_t num_bytes,
                        const Ranges& where) const {
  try {
    check_file_size(num_bytes, metadata_.format, type().dtype, where);
  } catch (const Error& error) {
    throw error.with_context(files_->full_name(path));
  }
}

std::string Array::chunk_name(const Dims& place) const {
  return files_->full_name(join_path(folder_, metadata_.keys.key(place)));
}

bool Array::has_chunk(const Dims& place) const {
  return files_->find(join_path(folder_, metadata_.keys.key(place))).has_value();
}

std::unique_ptr<ReadableFile> Array::open_chunk(const Dims& place) const {
  const std::string path = join_path(folder_, metadata_.keys.key(place));
  const std::optional<std::uint64_t> num_bytes = find_chunk(path);
  if (!num_bytes) return nullptr;
  check_chunk(path, *num_bytes, chunk_ranges(metadata_, place));
  return files_->open(path);
}

namespace {

// Runs f and adds the file's name to its errors. Errors of files contain the name already, those of
// codecs do not.
template <typename F>
auto with_name(const std::string& name, const F& f) {
  try {
    return f();
  } catch (const Error& error) {
    if (std::string_view(error.what()).starts_with(name)) throw;
    throw error.with_context(name);
  }
}

// A stream of exactly the bytes of a chunk.
class ChunkStream : public ByteStream {
 public:
  ChunkStream(std::unique_ptr<ByteStream> inner, std::uint64_t num_bytes, std::string name)
      : inner_(std::move(inner)), num_bytes_(num_bytes), name_(std::move(name)) {}

  std::size_t read(std::span<std::byte> out) override {
    return with_name(name_, [&] {
      const std::size_t size = inner_->read(out);
      num_read_ += size;
      const bool is_end = size == 0 && !out.empty();
      if (num_read_ > num_bytes_ || (is_end && num_read_ < num_bytes_))
        fail_size("chunk", num_bytes_, num_read_);
      return size;
    });
  }

 private:
  std::unique_ptr<ByteStream> inner_;
  std::uint64_t num_bytes_, num_read_ = 0;
  std::string name_;
};

}  // namespace

std::unique_ptr<ByteStream> Array::stream_chunk(const Dims& place) const {
  const ChunkFormat& format = metadata_.format;
  if (!is_as_in_memory(format) || format.codecs.size() != 1) return nullptr;
  const std::shared_ptr<const ReadableFile> file = open_chunk(place);
  if (file == nullptr) return nullptr;
  const std::string name = chunk_name(place);
  std::unique_ptr<ByteStream> inner =
      with_name(name, [&] { return format.codecs.front()->open_stream(file, name); });
  if (inner == nullptr) return nullptr;
  return std::make_unique<ChunkStream>(std::move(inner), metadata_.chunk_bytes(), name);
}

void Array::fill(const Ranges& part, const Target& target) const {
  const Dims strides = row_major_strides(sizes_of(target.ranges));
  std::vector<StridedDim> filled;
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < part.size(); ++d) {
    offset += (part[d].start - target.ranges[d].start) * strides[d];
    filled.push_back({part[d].size(), 0, strides[d]});
  }
  const std::size_t element_bytes = byte_size(type().dtype);
  copy_strided(metadata_.fill.data(),
               target.data + static_cast<std::size_t>(offset) * element_bytes, std::move(filled),
               element_bytes);
}

void Array::read_chunk_at(const Dims& place, const Ranges& ranges, const Target& target) const {
  std::string path = join_path(folder_, metadata_.keys.key(place));
  Ranges where = chunk_ranges(metadata_, place);
  Ranges part = *overlap(where, ranges);
  const std::optional<std::uint64_t> num_bytes = find_chunk(path);
  if (num_bytes) check_chunk(path, *num_bytes, where);
  // Inner chunks may be missing too, so the part is filled before the rest is read.
  if (!num_bytes || metadata_.format.inner) fill(part, target);
  if (!num_bytes) return;
  // Writes nothing outside the part: another thread may be filling it.
  bool is_alone = part == *overlap(where, target.ranges);
  HostTensor apart;
  with_name(files_->full_name(path), [&] {
    std::unique_ptr<ReadableFile> file = files_->open(path);
    if (is_alone) return read_chunk(*file, metadata_.format, type().dtype, where, target);
    apart = uninitialized_tensor({type().dtype, sizes_of(part)});
    const Target aside{part, apart.mutable_data()};
    if (metadata_.format.inner) fill(part, aside);
    read_chunk(*file, metadata_.format, type().dtype, where, aside);
  });
  if (is_alone) return;
  copy_overlap(apart.data(), part, target.data, target.ranges, byte_size(type().dtype));
}

}  // namespace meshwright::io::zarr
