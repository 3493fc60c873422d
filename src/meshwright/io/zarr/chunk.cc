// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/zarr/chunk.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/io/codecs/chain.h"
#include "meshwright/io/file_region.h"
#include "meshwright/tensor/copy_strided.h"

namespace meshwright::io::zarr {
namespace {

constexpr std::uint64_t kMissing = UINT64_MAX;

void swap_bytes(Buffer& elements, std::size_t element_bytes) {
  for (std::size_t at = 0; at + element_bytes <= elements.size(); at += element_bytes)
    std::reverse(elements.data() + at, elements.data() + at + element_bytes);
}

template <typename T>
void add_up(Buffer& elements) {
  T sum = 0;
  for (std::size_t at = 0; at + sizeof(T) <= elements.size(); at += sizeof(T)) {
    T difference;
    std::memcpy(&difference, elements.data() + at, sizeof(T));
    sum = static_cast<T>(sum + difference);
    std::memcpy(elements.data() + at, &sum, sizeof(T));
  }
}

template <typename T>
void subtract_previous(Buffer& elements) {
  T previous = 0;
  for (std::size_t at = 0; at + sizeof(T) <= elements.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, elements.data() + at, sizeof(T));
    const T difference = static_cast<T>(value - previous);
    previous = value;
    std::memcpy(elements.data() + at, &difference, sizeof(T));
  }
}

// Calls f<T>() for the unsigned integer of this width.
template <typename F>
void for_integers_of(std::size_t num_bytes, const F& f) {
  switch (num_bytes) {
    case 1:
      return f.template operator()<std::uint8_t>();
    case 2:
      return f.template operator()<std::uint16_t>();
    case 4:
      return f.template operator()<std::uint32_t>();
    default:
      return f.template operator()<std::uint64_t>();
  }
}

void undo_delta(Buffer& elements, std::size_t element_bytes) {
  for_integers_of(element_bytes, [&]<typename T>() { add_up<T>(elements); });
}

// Converts elements from the stored dimension order to that of the array.
Buffer undo_order(const Buffer& stored,
                  const std::vector<int>& order,
                  const Dims& dims,
                  std::size_t element_bytes) {
  Dims stored_dims;
  for (int dim : order)
    stored_dims.push_back(dims[static_cast<std::size_t>(dim)]);
  Dims strides(dims.size());  // strides of the array's dimensions in storage
  Dims stored_strides = row_major_strides(stored_dims);
  for (std::size_t i = 0; i < order.size(); ++i)
    strides[static_cast<std::size_t>(order[i])] = stored_strides[i];

  const Dims to_strides = row_major_strides(dims);
  std::vector<StridedDim> moved;
  for (std::size_t d = 0; d < dims.size(); ++d)
    moved.push_back({dims[d], strides[d], to_strides[d]});
  Buffer out(stored.size());
  copy_strided(stored.data(), out.data(), std::move(moved), element_bytes);
  return out;
}

// Compressed data is never much larger than its input, whatever a file or an index claims.
void check_stored_size(std::uint64_t num_stored, std::uint64_t num_bytes) {
  constexpr std::uint64_t kHeaders = std::uint64_t{64} << 10;
  std::uint64_t most = num_bytes + num_bytes / 4 + kHeaders;
  if (num_stored <= most) return;
  fail(ErrorCode::data_loss, "has ", num_stored, " bytes for a chunk of ", num_bytes,
       ", expected at most ", most);
}

std::uint64_t bytes_of(const Ranges& ranges, DType dtype) {
  return static_cast<std::uint64_t>(num_elements(sizes_of(ranges))) * byte_size(dtype);
}

// Returns where a chunk lies in the target; nullptr unless all of it lies there contiguously.
std::byte* place_in(const Target& target, const Ranges& where, std::size_t element_bytes) {
  if (overlap(where, target.ranges) != where) return nullptr;
  Ranges inside = where;
  for (std::size_t d = 0; d < where.size(); ++d)
    inside[d] = {where[d].start - target.ranges[d].start, where[d].stop - target.ranges[d].start};
  const std::optional<std::int64_t> offset = find_single_run(sizes_of(target.ranges), inside);
  if (!offset) return nullptr;
  return target.data + static_cast<std::size_t>(*offset) * element_bytes;
}

void decode_plain(const Buffer& stored,
                  const ChunkFormat& format,
                  DType dtype,
                  const Ranges& where,
                  const Target& target) {
  std::size_t element_bytes = byte_size(dtype);
  std::uint64_t num_bytes = bytes_of(where, dtype);
  std::byte* place = is_as_in_memory(format) ? place_in(target, where, element_bytes) : nullptr;
  if (place != nullptr) return decode_into(format.codecs, stored.span(), {place, num_bytes});
  Buffer elements(num_bytes);
  decode_into(format.codecs, stored.span(), elements.span());
  if (format.is_big_endian) swap_bytes(elements, element_bytes);
  if (format.is_delta) undo_delta(elements, element_bytes);
  if (!format.order.empty())
    elements = undo_order(elements, format.order, sizes_of(where), element_bytes);
  copy_overlap(elements.data(), where, target.data, target.ranges, element_bytes);
}

std::uint64_t read_number(std::span<const std::byte> bytes, std::size_t at) {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < 8; ++i)
    out |= std::to_integer<std::uint64_t>(bytes[at + i]) << (8 * i);
  return out;
}

Buffer read_bytes(const ReadableFile& file, std::uint64_t offset, std::uint64_t num_bytes) {
  if (offset > file.num_bytes() || num_bytes > file.num_bytes() - offset) {
    fail(ErrorCode::data_loss, "an inner chunk at bytes ", offset, " + ", num_bytes,
         " exceeds the file of ", file.num_bytes());
  }
  Buffer out(num_bytes);
  file.read(offset, out.span());
  return out;
}

Buffer read_index(const ReadableFile& file, const InnerChunks& inner, std::int64_t num_inner) {
  std::uint64_t num_bytes = 16 * static_cast<std::uint64_t>(num_inner);
  std::uint64_t stored = *encoded_size(inner.index_codecs, num_bytes);
  if (stored > file.num_bytes()) {
    fail(ErrorCode::data_loss, "has ", file.num_bytes(), " bytes, too few for an index of ",
         stored);
  }
  std::uint64_t offset = inner.is_index_at_start ? 0 : file.num_bytes() - stored;
  Buffer out(num_bytes);
  decode_into(inner.index_codecs, read_bytes(file, offset, stored).span(), out.span());
  return out;
}

Dims inner_grid(const InnerChunks& inner, const Ranges& where) {
  Dims out;
  for (std::size_t d = 0; d < where.size(); ++d)
    out.push_back(where[d].size() / inner.dims[d]);
  return out;
}

// Includes room for the overhead of a compressor per inner chunk.
std::uint64_t index_bytes(const ChunkFormat& format, const Ranges& where) {
  constexpr std::uint64_t kPerChunk = 256;
  if (!format.inner) return 0;
  return kPerChunk * static_cast<std::uint64_t>(num_elements(inner_grid(*format.inner, where)));
}

// Returns the ranges of an inner chunk.
Ranges inner_ranges(const InnerChunks& inner, const Ranges& where, const Dims& place) {
  Ranges out;
  for (std::size_t d = 0; d < where.size(); ++d) {
    const std::int64_t start = where[d].start + place[d] * inner.dims[d];
    out.push_back({start, start + inner.dims[d]});
  }
  return out;
}

void read_inner_chunks(const ReadableFile& file,
                       const InnerChunks& inner,
                       DType dtype,
                       const Ranges& where,
                       const Target& target) {
  const std::optional<Ranges> wanted = overlap(where, target.ranges);
  if (!wanted) return;
  const Dims grid = inner_grid(inner, where);
  const Buffer index = read_index(file, inner, num_elements(grid));
  const Dims strides = row_major_strides(grid);
  Ranges inside = *wanted;
  for (std::size_t d = 0; d < where.size(); ++d)
    inside[d] = {inside[d].start - where[d].start, inside[d].stop - where[d].start};
  for_each_place(inside, inner.dims, [&](const Dims& place) {
    std::size_t entry = 0;
    for (std::size_t d = 0; d < where.size(); ++d)
      entry += static_cast<std::size_t>(16 * place[d] * strides[d]);
    const std::uint64_t offset = read_number(index.span(), entry);
    const std::uint64_t num_bytes = read_number(index.span(), entry + 8);
    const bool is_missing = offset == kMissing && num_bytes == kMissing;
    if (is_missing) return;
    const Ranges part = inner_ranges(inner, where, place);
    check_file_size(num_bytes, *inner.format, dtype, part);
    const auto bytes = file_in_memory(read_bytes(file, offset, num_bytes), "inner chunk");
    read_chunk(*bytes, *inner.format, dtype, part, target);
  });
}

// Returns the number of last dimensions that the ranges cover.
std::size_t num_whole_dims(const Ranges& ranges, const Ranges& where) {
  std::size_t out = 0;
  while (out < where.size() && ranges[where.size() - 1 - out] == where[where.size() - 1 - out])
    ++out;
  return out;
}

// Reads only the wanted elements of a chunk without compression, in runs of adjacent ones. Returns
// false, without reading, if reading the whole chunk is faster and takes little memory.
bool read_runs(const ReadableFile& file, DType dtype, const Ranges& where, const Target& target) {
  constexpr std::uint64_t kLittle = std::uint64_t{64} << 20;
  const std::optional<Ranges> wanted = overlap(where, target.ranges);
  if (!wanted) return true;
  // A run covers a range of one dimension and all of the dimensions after it.
  const std::size_t rank = where.size();
  const std::size_t num_whole = num_whole_dims(*wanted, where);
  const std::size_t run_dim = rank - std::min(rank, num_whole + 1);
  Dims grid = sizes_of(*wanted), run = grid;
  std::fill(grid.begin() + static_cast<std::ptrdiff_t>(run_dim), grid.end(), 1);
  std::fill(run.begin(), run.begin() + static_cast<std::ptrdiff_t>(run_dim), 1);
  if (num_elements(grid) > 1 && file.num_bytes() <= kLittle) return false;
  const Dims strides = row_major_strides(sizes_of(where));
  const std::size_t element_bytes = byte_size(dtype);
  Buffer elements(static_cast<std::uint64_t>(num_elements(run)) * element_bytes);
  Ranges part = *wanted;
  for (std::int64_t i = 0; i < num_elements(grid); ++i) {
    std::int64_t offset = 0, rest = i;
    for (std::size_t d = rank; d-- > 0;) {
      part[d].start = (*wanted)[d].start + rest % grid[d];
      part[d].stop = part[d].start + run[d];
      rest /= grid[d];
      offset += (part[d].start - where[d].start) * strides[d];
    }
    file.read(static_cast<std::uint64_t>(offset) * element_bytes, elements.span());
    copy_overlap(elements.data(), part, target.data, target.ranges, element_bytes);
  }
  return true;
}

}  // namespace

bool is_as_in_memory(const ChunkFormat& format) {
  return format.order.empty() && !format.is_big_endian && !format.is_delta && !format.inner;
}

bool stores_elements(const ChunkFormat& format) {
  return is_as_in_memory(format) && format.codecs.empty();
}

void check_file_size(std::uint64_t num_stored,
                     const ChunkFormat& format,
                     DType dtype,
                     const Ranges& where) {
  const std::uint64_t num_bytes = bytes_of(where, dtype);
  std::uint64_t least = num_bytes;
  if (format.inner) {  // all of them may be missing
    const auto num_inner =
        static_cast<std::uint64_t>(num_elements(inner_grid(*format.inner, where)));
    least = *encoded_size(format.inner->index_codecs, 16 * num_inner);
  }
  if (max_decoded_bytes(format.codecs, num_stored) < least) {
    fail(ErrorCode::data_loss, "has ", num_stored, " bytes, too few for a chunk of ", num_bytes);
  }
  const bool is_read_in_part = format.inner && format.codecs.empty();
  if (!is_read_in_part) check_stored_size(num_stored, num_bytes + index_bytes(format, where));
}

void read_chunk(const ReadableFile& file,
                const ChunkFormat& format,
                DType dtype,
                const Ranges& where,
                const Target& target) {
  std::uint64_t num_bytes = bytes_of(where, dtype);
  const bool is_raw = stores_elements(format);
  std::byte* place = is_raw ? place_in(target, where, byte_size(dtype)) : nullptr;
  if (is_raw && file.num_bytes() != num_bytes) fail_size("chunk", num_bytes, file.num_bytes());
  if (place != nullptr) return file.read(0, {place, num_bytes});  // reads without a copy
  if (is_raw && read_runs(file, dtype, where, target)) return;
  if (format.inner && format.codecs.empty()) {
    return read_inner_chunks(file, *format.inner, dtype, where, target);
  }
  check_file_size(file.num_bytes(), format, dtype, where);
  Buffer stored = read_bytes(file, 0, file.num_bytes());
  if (!format.inner) return decode_plain(stored, format, dtype, where, target);
  const auto whole = file_in_memory(decode(format.codecs, std::move(stored)), "chunk");
  read_inner_chunks(*whole, *format.inner, dtype, where, target);
}

Buffer encode_chunk(const ChunkFormat& format, DType dtype, std::span<const std::byte> elements) {
  if (format.inner || format.is_big_endian || !format.order.empty()) {
    fail(ErrorCode::unimplemented,
         "writing chunks with inner chunks, another dimension order or another byte order "
         "is not supported");
  }
  if (!format.is_delta) return encode(format.codecs, elements);
  Buffer differences(elements.size());
  std::ranges::copy(elements, differences.data());
  for_integers_of(byte_size(dtype), [&]<typename T>() { subtract_previous<T>(differences); });
  return encode(format.codecs, differences.span());
}

}  // namespace meshwright::io::zarr
