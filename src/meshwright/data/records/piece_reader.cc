// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/records/piece_reader.h"

#include <algorithm>
#include <utility>

namespace meshwright::data {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::size_t kBlockBytes = 64 << 10;  // fits the headroom of a Block
constexpr std::string_view kBlanks = " \t\r\n";

bool is_blank(std::string_view text) {
  return text.find_first_not_of(kBlanks) == std::string_view::npos;
}

// Returns `at`, or where the character of valid UTF-8 begins that goes on there.
std::size_t end_of_character(std::string_view text, std::size_t at) {
  constexpr std::size_t kMostContinuations = 3;
  for (std::size_t i = 0; i <= kMostContinuations; ++i)
    if ((static_cast<unsigned char>(text[at - i]) & 0xc0) != 0x80) return at - i;
  return at;
}

std::string_view without_line_end(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

}  // namespace

PieceReader::PieceReader(std::unique_ptr<ByteStream> stream,
                         const PieceOptions& options,
                         ReadAhead ahead)
    : options_(options),
      window_(std::move(stream), std::max<std::int64_t>(0, options.begin - 1), ahead) {
  if (options_.split == TextSplit::lines) options_.separator = std::string(1, '\n');
  if (options_.split == TextSplit::files) options_.separator.clear();
}

bool PieceReader::next(Piece& piece) {
  if (!std::exchange(has_begun_, true)) begin();
  while (true) {
    window_.consume(std::exchange(num_pending_, 0));
    if (window_.offset() >= options_.end || (window_.text().empty() && !window_.extend()))
      return false;
    const std::int64_t offset = window_.offset();
    const Cut found = cut();
    num_pending_ = found.num_consumed;
    piece = {.text = window_.text().substr(0, found.num_text),
             .offset = offset,
             .is_too_long = found.is_too_long};
    if (options_.split == TextSplit::lines || options_.split == TextSplit::blank_lines)
      piece.text = without_line_end(piece.text);
    if (piece.is_too_long) piece.text = {};
    if (piece.is_too_long || !is_blank(piece.text)) return true;
  }
}

// Skips a byte order mark, or the end of a line that began before the range.
void PieceReader::begin() {
  if (options_.begin == 0) {
    while (window_.text().size() < kByteOrderMark.size() && window_.extend()) {
    }
    if (window_.text().starts_with(kByteOrderMark)) window_.consume(kByteOrderMark.size());
    return;
  }
  while (window_.offset() < options_.end) {
    const std::size_t end = window_.text().find('\n');
    if (end != std::string_view::npos) return window_.consume(end + 1);
    window_.consume(window_.text().size());
    if (!window_.extend()) return;
  }
}

bool PieceReader::is_too_long(std::size_t num_bytes) const {
  return num_bytes > static_cast<std::size_t>(options_.max_bytes);
}

PieceReader::Cut PieceReader::cut() {
  switch (options_.split) {
    case TextSplit::blank_lines:
      return cut_at_blank_line();
    case TextSplit::blocks:
      return cut_block();
    default:
      return cut_at_separator();
  }
}

PieceReader::Cut PieceReader::cut_at_separator() {
  const std::string& separator = options_.separator;
  // The end of the window may have the beginning of a separator.
  const std::size_t num_kept = separator.empty() ? 0 : separator.size() - 1;
  std::size_t num_searched = 0;
  bool is_long = false;
  while (true) {
    const std::string_view text = window_.text();
    const std::size_t found =
        separator.empty() ? std::string_view::npos : text.find(separator, num_searched);
    if (found != std::string_view::npos)
      return {found, found + separator.size(), is_long || is_too_long(found)};
    num_searched = text.size() - std::min(text.size(), num_kept);
    if (is_too_long(num_searched)) {
      is_long = true;
      window_.consume(std::exchange(num_searched, 0));
    }
    if (!window_.extend()) {
      const std::size_t left = window_.text().size();
      return {left, left, is_long || is_too_long(left)};
    }
  }
}

PieceReader::Cut PieceReader::cut_at_blank_line() {
  std::size_t line = 0;          // where the current line begins
  std::size_t num_searched = 0;  // without a line end
  bool is_line_blank = true;     // if a part of the current line was dropped: that part
  bool is_long = false;
  while (true) {
    const std::string_view text = window_.text();
    const std::size_t end = text.find('\n', num_searched);
    if (end != std::string_view::npos) {
      const bool is_empty = is_line_blank && is_blank(text.substr(line, end - line));
      if (is_empty && (line > 0 || is_long)) return {line, end + 1, is_long || is_too_long(line)};
      // Blank lines before the first line are no piece.
      if (is_empty) return {0, end + 1, false};
      line = num_searched = end + 1;
      is_line_blank = true;
      continue;
    }
    num_searched = text.size();
    if (is_too_long(text.size())) {
      is_long = true;
      is_line_blank = is_line_blank && is_blank(text.substr(line));
      window_.consume(text.size());
      line = num_searched = 0;
    }
    if (!window_.extend()) {
      const std::size_t left = window_.text().size();
      return {left, left, is_long || is_too_long(left)};
    }
  }
}

PieceReader::Cut PieceReader::cut_block() {
  while (window_.text().size() <= kBlockBytes && window_.extend()) {
  }
  const std::string_view text = window_.text();
  if (text.size() <= kBlockBytes) return {text.size(), text.size(), is_too_long(text.size())};
  const std::size_t line_end = text.rfind('\n', kBlockBytes - 1);
  const std::size_t size =
      line_end == std::string_view::npos ? end_of_character(text, kBlockBytes) : line_end + 1;
  return {size, size, is_too_long(size)};
}

}  // namespace meshwright::data
