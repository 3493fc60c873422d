// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/msgpack/file_cursor.h"

#include <algorithm>
#include <span>

#include "meshwright/base/error.h"

namespace meshwright::io {

void FileCursor::fail_here(std::string_view reason) const {
  fail(ErrorCode::data_loss, name_, ": at byte ", offset_, ": ", reason);
}

void FileCursor::check_left(std::uint64_t num_bytes) const {
  if (num_bytes > num_left())
    fail_here(str("needs ", num_bytes, " bytes, but only ", num_left(), " follow"));
}

std::uint8_t FileCursor::byte() {
  if (offset_ < begin_ || offset_ - begin_ >= block_.size()) {
    check_left(1);
    constexpr std::uint64_t kBlock = std::uint64_t{64} << 10;
    block_.resize(static_cast<std::size_t>(std::min(kBlock, num_left())));
    begin_ = offset_;
    file_.read(begin_, std::as_writable_bytes(std::span(block_)));
  }
  return static_cast<std::uint8_t>(block_[static_cast<std::size_t>(offset_++ - begin_)]);
}

std::uint64_t FileCursor::number(int num_bytes) {
  std::uint64_t out = 0;
  for (int i = 0; i < num_bytes; ++i)
    out = out << 8 | byte();
  return out;
}

std::string FileCursor::text(std::uint64_t num_bytes) {
  constexpr std::uint64_t kLongestText = std::uint64_t{1} << 20;
  check_left(num_bytes);
  if (num_bytes > kLongestText) fail_here(str("a text of ", num_bytes, " bytes is too long"));
  std::string out;
  for (std::uint64_t i = 0; i < num_bytes; ++i)
    out += static_cast<char>(byte());
  return out;
}

FileRange FileCursor::skip(std::uint64_t num_bytes) {
  check_left(num_bytes);
  const FileRange out{.offset = offset_, .num_bytes = num_bytes};
  offset_ += num_bytes;
  return out;
}

}  // namespace meshwright::io
