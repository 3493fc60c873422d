// SPDX-License-Identifier: Apache-2.0
// What .zarray (version 2) and zarr.json (version 3) say of an array.
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

/// Chunks in a chunk (version 3, sharding_indexed): back to back, with a table of where they are.
struct InnerChunks {
  Dims dims;
  std::shared_ptr<const ChunkFormat> format;
  std::vector<CodecPtr> index_codecs;  // of the table
  bool is_index_at_start = false;
};

/// How the elements of one chunk become bytes, first to last.
struct ChunkFormat {
  std::vector<int> order;  // the dimension stored first, second, ...; empty: as they are
  bool is_delta = false;   // each element less the one before it
  bool is_big_endian = false;
  std::optional<InnerChunks> inner;
  std::vector<CodecPtr> codecs;
};

/// "c/0/1", "0.1": where the chunk at this place of the grid lies below the array's folder.
struct KeyEncoding {
  bool has_prefix = false;  // "c"
  char separator = '.';

  std::string key(const Dims& place) const;
};

struct Metadata {
  ArrayType type;
  Dims chunk;                   // sizes; the last of each dimension is stored whole too
  std::vector<std::byte> fill;  // one element: what a missing chunk is full of
  ChunkFormat format;
  KeyEncoding keys;

  /// The number of chunks along each dimension.
  Dims grid() const;
  std::uint64_t chunk_bytes() const;  // decoded
};

/// Calls f(place) for the place in the grid of every chunk that a part touches.
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

// Both throw data_loss, naming `name` and the member, for what is no such metadata, makes no sense
// or is too large for this machine; unimplemented for dtypes and codecs that are not supported.
Metadata parse_v2(std::string_view json, const std::string& name);
Metadata parse_v3(std::string_view json, const std::string& name);

/// The product of sizes of at least 0, or nothing if it is above `limit`.
std::optional<std::int64_t> product_below(const Dims& dims, std::int64_t limit);

/// Throws data_loss unless chunks of this type and size can be held and counted.
void check_sizes(const ArrayType& type, const Dims& chunk);

}  // namespace meshwright::io::zarr
