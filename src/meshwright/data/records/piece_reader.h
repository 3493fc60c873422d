// SPDX-License-Identifier: Apache-2.0
// Internal to records/: cuts streams into the pieces that become records.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "meshwright/data/records/record_settings.h"
#include "meshwright/data/records/text_window.h"

namespace meshwright::data {

struct Piece {
  std::string_view text;  // empty if too long; followed by Block::kPadding readable bytes
  std::int64_t offset = 0;
  bool is_too_long = false;
};

struct PieceOptions {
  TextSplit split = TextSplit::lines;
  std::string separator = {};  // for TextSplit::separator
  std::int64_t max_bytes = 0;  // of a piece
  /// Only pieces that begin in [begin, end) are read. Other values than the defaults are for lines
  /// only; the stream then begins at byte begin - 1. The first range must be longer than a byte
  /// order mark.
  std::int64_t begin = 0;
  std::int64_t end = std::numeric_limits<std::int64_t>::max();
};

/// Skips a byte order mark at offset 0, and pieces that are empty or contain only blanks. Memory:
/// at most one piece of the maximum size.
class PieceReader {
 public:
  PieceReader(std::unique_ptr<ByteStream> stream, const PieceOptions& options, ReadAhead ahead);

  /// Returns false at the end. The text is valid until the next call. Throws what the stream
  /// throws.
  bool next(Piece& piece);
  /// Returns the offset of the first byte that was not consumed, for messages.
  std::int64_t offset() const { return window_.offset(); }

 private:
  struct Cut {
    std::size_t num_text = 0;      // bytes of the piece
    std::size_t num_consumed = 0;  // with the separator
    bool is_too_long = false;
  };

  void begin();
  Cut cut_at_separator();
  Cut cut_at_blank_line();
  Cut cut_block();
  Cut cut();
  bool is_too_long(std::size_t num_bytes) const;

  PieceOptions options_;
  TextWindow window_;
  std::size_t num_pending_ = 0;  // bytes of the last piece, to be consumed by the next call
  bool has_begun_ = false;
};

}  // namespace meshwright::data
