// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "meshwright/io/zarr/array.h"

namespace meshwright::io::zarr {

/// Reads short ranges of a long one-dimensional array at random. If chunks are compressed by blosc,
/// decodes only the blocks that a range touches, otherwise whole chunks; keeps what it has decoded
/// most recently. Thread-safe.
class RangeReader {
 public:
  /// Throws unimplemented unless the array has one dimension.
  RangeReader(Array array, std::uint64_t max_cached_bytes);

  /// Reads elements from `begin` on, which must exist. Throws data_loss, naming the chunk file, if
  /// a chunk is damaged.
  void read(std::int64_t begin, std::span<std::byte> out) const;

 private:
  using Key = std::pair<std::int64_t, std::uint64_t>;  // chunk, block
  using Bytes = std::shared_ptr<const Buffer>;
  using Blocks = std::shared_ptr<const EncodedBlocks>;
  struct Cached {
    Bytes bytes;
    std::list<Key>::iterator use;
  };

  void read_chunk(std::int64_t chunk, std::uint64_t offset, std::span<std::byte> out) const;
  Bytes block_at(const Key& key, const EncodedBlocks* blocks) const;
  Buffer decode_block(const Key& key, const EncodedBlocks& blocks) const;
  Buffer decode_chunk(std::int64_t chunk) const;
  Blocks blocks_of(std::int64_t chunk) const;
  Blocks open_blocks(std::int64_t chunk) const;
  Bytes find(const Key& key) const;
  void keep(const Key& key, const Bytes& bytes) const;

  Array array_;
  std::size_t element_bytes_;
  std::uint64_t max_cached_bytes_;
  mutable std::mutex mutex_;
  mutable std::map<Key, Cached> cached_;
  mutable std::list<Key> uses_;  // latest first
  mutable std::uint64_t cached_bytes_ = 0;
  mutable std::map<std::int64_t, Blocks> blocks_;  // of chunks; null if one cannot be read in part
};

}  // namespace meshwright::io::zarr
