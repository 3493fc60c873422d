// SPDX-License-Identifier: Apache-2.0
// Internal to records/.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "meshwright/data/records/block_reader.h"

namespace meshwright::data {

/// A contiguous window on a stream: extend() adds a block at its end, consume() removes bytes from
/// its beginning. Copies only what extend() keeps of earlier blocks.
class TextWindow {
 public:
  /// `offset` is that of the first byte of the stream.
  TextWindow(std::unique_ptr<ByteStream> stream, std::int64_t offset, ReadAhead ahead);

  /// Block::kPadding bytes after the text may be read. Valid until the next extend().
  std::string_view text() const { return text_; }
  /// Returns the offset of the text in the uncompressed stream.
  std::int64_t offset() const { return offset_; }
  void consume(std::size_t num_bytes);
  /// Returns false at the end of the stream. Throws what the stream throws.
  bool extend();

 private:
  bool extend_joined();

  BlockReader blocks_;
  Block block_;  // holds the text unless it is joined
  Block spare_;
  std::vector<char> joined_;  // the text and padding, if too long for the headroom of a block
  std::string_view text_;
  std::int64_t offset_;
};

}  // namespace meshwright::data
