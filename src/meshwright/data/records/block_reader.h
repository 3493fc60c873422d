// SPDX-License-Identifier: Apache-2.0
// Internal to records/: a stream in blocks, read ahead by a thread of its own if wanted.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>

#include "meshwright/data/records/byte_stream.h"

namespace meshwright::data {

/// A block of a stream. Bytes left over from the block before can be prepended in the headroom, and
/// kPadding bytes after the content may be read.
class Block {
 public:
  static constexpr std::size_t kHeadroom = 64 << 10;
  static constexpr std::size_t kContent = 128 << 10;  // fits a core's cache
  static constexpr std::size_t kPadding = 64;

  /// Fills the content. Returns false at the end of the stream.
  bool fill(ByteStream& stream);
  std::string_view content() const {
    return num_bytes_ == 0 ? std::string_view()
                           : std::string_view(bytes_.get() + kHeadroom, num_bytes_);
  }
  /// Returns `before`, which must fit the headroom, followed by the content.
  std::string_view prepend(std::string_view before);

 private:
  std::unique_ptr<char[]> bytes_;  // allocated by the first fill()
  std::size_t num_bytes_ = 0;
};

enum class ReadAhead { no, yes };

/// Memory: at most five blocks. An error of the stream is thrown after the blocks before it.
class BlockReader {
 public:
  BlockReader(std::unique_ptr<ByteStream> stream, ReadAhead ahead);
  ~BlockReader();
  BlockReader(const BlockReader&) = delete;
  BlockReader& operator=(const BlockReader&) = delete;

  /// Replaces `block` by the next one, whose content is not empty, and reuses the memory of the old
  /// one. Returns false at the end, leaving `block` unchanged.
  bool next(Block& block);

 private:
  static constexpr std::size_t kMaxAhead = 3;

  void read_ahead();
  // Reads one block. Returns false at the end or after an error.
  bool fill_one();

  std::unique_ptr<ByteStream> stream_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Block> full_;
  std::deque<Block> free_;
  bool is_at_end_ = false;
  bool is_closing_ = false;
  std::exception_ptr error_;
  std::thread thread_;  // not joinable without ReadAhead
};

}  // namespace meshwright::data
