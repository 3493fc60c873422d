// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/zarr/range_reader.h"

#include <algorithm>
#include <cstring>

#include "meshwright/base/error.h"

namespace meshwright::io::zarr {

RangeReader::RangeReader(Array array, std::uint64_t max_cached_bytes)
    : array_(std::move(array)),
      element_bytes_(byte_size(array_.type().dtype)),
      max_cached_bytes_(max_cached_bytes) {
  if (array_.type().dims.size() != 1) {
    fail(ErrorCode::unimplemented, "the array ", array_.folder(), " has shape ", array_.type().dims,
         ", expected one dimension");
  }
}

void RangeReader::read(std::int64_t begin, std::span<std::byte> out) const {
  const std::uint64_t chunk_bytes = array_.metadata().chunk_bytes();
  std::uint64_t at = static_cast<std::uint64_t>(begin) * element_bytes_;
  while (!out.empty()) {
    const std::uint64_t offset = at % chunk_bytes;
    const auto size =
        static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), chunk_bytes - offset));
    read_chunk(static_cast<std::int64_t>(at / chunk_bytes), offset, out.first(size));
    out = out.subspan(size);
    at += size;
  }
}

// Reads bytes of a chunk from `offset` on.
void RangeReader::read_chunk(std::int64_t chunk,
                             std::uint64_t offset,
                             std::span<std::byte> out) const {
  const Blocks blocks = blocks_of(chunk);
  const std::uint64_t block_bytes =
      blocks ? blocks->block_bytes() : array_.metadata().chunk_bytes();
  while (!out.empty()) {
    const std::uint64_t block = offset / block_bytes, within = offset % block_bytes;
    const Bytes bytes = block_at({chunk, block}, blocks.get());
    const std::size_t size = std::min<std::size_t>(out.size(), bytes->size() - within);
    std::memcpy(out.data(), bytes->data() + within, size);
    out = out.subspan(size);
    offset += size;
  }
}

RangeReader::Bytes RangeReader::block_at(const Key& key, const EncodedBlocks* blocks) const {
  if (Bytes found = find(key)) return found;
  Buffer decoded = blocks ? decode_block(key, *blocks) : decode_chunk(key.first);
  Bytes out = std::make_shared<const Buffer>(std::move(decoded));
  keep(key, out);
  return out;
}

// Several threads may decode one block at the same time, which is rare.
Buffer RangeReader::decode_block(const Key& key, const EncodedBlocks& blocks) const {
  const std::unique_ptr<ReadableFile> file = array_.open_chunk({key.first});
  try {
    if (!file) fail(ErrorCode::data_loss, "is missing");
    return blocks.read(*file, key.second);
  } catch (const Error& error) {
    throw error.with_context(array_.chunk_name({key.first}));
  }
}

Buffer RangeReader::decode_chunk(std::int64_t chunk) const {
  const std::int64_t size = array_.metadata().chunk[0];
  const std::int64_t begin = chunk * size;
  const std::int64_t end = std::min(begin + size, array_.type().dims[0]);
  Buffer out(static_cast<std::size_t>(end - begin) * element_bytes_);
  const Ranges ranges = {{begin, end}};
  array_.check(ranges);
  array_.read_into(ranges, {ranges, out.data()});
  return out;
}

RangeReader::Blocks RangeReader::blocks_of(std::int64_t chunk) const {
  {
    const std::lock_guard lock(mutex_);
    const auto known = blocks_.find(chunk);
    if (known != blocks_.end()) return known->second;
  }
  Blocks out = open_blocks(chunk);
  const std::lock_guard lock(mutex_);
  constexpr std::size_t kMaxKnown = 1 << 14;
  if (blocks_.size() >= kMaxKnown) blocks_.clear();
  blocks_[chunk] = out;
  return out;
}

// Returns null if the chunk can only be decoded as a whole.
RangeReader::Blocks RangeReader::open_blocks(std::int64_t chunk) const {
  const ChunkFormat& format = array_.metadata().format;
  const bool is_plain = format.order.empty() && !format.is_big_endian && !format.is_delta;
  if (!is_plain || format.inner || format.codecs.size() != 1) return nullptr;
  const std::unique_ptr<ReadableFile> file = array_.open_chunk({chunk});
  if (!file) return nullptr;
  try {
    Blocks out = format.codecs[0]->open_blocks(*file);
    const std::uint64_t num_bytes = array_.metadata().chunk_bytes();
    if (out && out->num_bytes() != num_bytes) fail_size("chunk", num_bytes, out->num_bytes());
    return out;
  } catch (const Error& error) {
    throw error.with_context(array_.chunk_name({chunk}));
  }
}

RangeReader::Bytes RangeReader::find(const Key& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = cached_.find(key);
  if (found == cached_.end()) return nullptr;
  uses_.splice(uses_.begin(), uses_, found->second.use);
  return found->second.bytes;
}

void RangeReader::keep(const Key& key, const Bytes& bytes) const {
  const std::lock_guard lock(mutex_);
  if (cached_.contains(key)) return;
  uses_.push_front(key);
  cached_[key] = {bytes, uses_.begin()};
  cached_bytes_ += bytes->size();
  while (cached_bytes_ > max_cached_bytes_ && uses_.size() > 1) {
    const auto oldest = cached_.find(uses_.back());
    cached_bytes_ -= oldest->second.bytes->size();
    cached_.erase(oldest);
    uses_.pop_back();
  }
}

}  // namespace meshwright::io::zarr
