// SPDX-License-Identifier: Apache-2.0
// Array metadata from .zarray (version 2) and zarr.json (version 3).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "meshwright/io/codecs/codec.h"
#include "meshwright/tensor/ranges.h"
#include "meshwright/tensor/shape.h"

namespace meshwright::io::zarr {

struct ChunkFormat;

/// Chunks within a chunk (version 3, sharding_indexed): stored back to back, with an index of their
/// positions.
struct InnerChunks {
  Dims dims;
  std::shared_ptr<const ChunkFormat> format;
  std::vector<CodecPtr> index_codecs;  // codecs of the index
  bool is_index_at_start = false;
};

/// How the elements of a chunk are encoded, from the first step to the last.
struct ChunkFormat {
  std::vector<int> order;  // dimensions in storage order; if empty, row-major
  bool is_delta = false;   // each element minus the previous one
  bool is_big_endian = false;
  std::optional<InnerChunks> inner;
  std::vector<CodecPtr> codecs;
};

/// Maps a grid position to the chunk's path below the array's folder: "c/0/1" or "0.1".
struct KeyEncoding {
  bool has_prefix = false;  // "c"
  char separator = '.';

  std::string key(const Dims& place) const;
};

struct Metadata {
  ArrayType type;
  Dims chunk;                   // sizes; chunks at the edges are stored in full
  std::vector<std::byte> fill;  // one element: the content of missing chunks
  ChunkFormat format;
  KeyEncoding keys;

  /// Returns the number of chunks along each dimension.
  Dims grid() const;
  std::uint64_t chunk_bytes() const;  // decoded
};

/// Calls f(place) for the grid position of every chunk that a part touches.
template <typename F>
void for_each_place(const Ranges& part, const Dims& chunk, const F& f) {
  Dims first, last;
  for (std::size_t d = 0; d < part.size(); ++d) {
    if (part[d].size() == 0) return;
    first.push_back(part[d].start / chunk[d]);
    last.push_back((part[d].stop - 1) / chunk[d]);
  }
  Dims place = first;
  while (true) {
    f(std::as_const(place));
    std::size_t d = place.size();
    while (d > 0 && place[d - 1] == last[d - 1]) {
      --d;
      place[d] = first[d];
    }
    if (d == 0) return;
    ++place[d - 1];
  }
}

// Parse metadata. Throw data_loss, naming `name` and the member, if the metadata is invalid or too
// large for this machine, and unimplemented for unsupported dtypes and codecs.
Metadata parse_v2(std::string_view json, const std::string& name);
Metadata parse_v3(std::string_view json, const std::string& name);

/// Returns the product of nonnegative sizes; nullopt if it exceeds `limit`.
std::optional<std::int64_t> product_below(const Dims& dims, std::int64_t limit);

/// Throws data_loss unless chunks of this type and size fit in memory and can be counted.
void check_sizes(const ArrayType& type, const Dims& chunk);

}  // namespace meshwright::io::zarr
