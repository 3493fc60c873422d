// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/records/text_window.h"

#include <cstring>
#include <utility>

namespace meshwright::data {

TextWindow::TextWindow(std::unique_ptr<ByteStream> stream, std::int64_t offset, ReadAhead ahead)
    : blocks_(std::move(stream), ahead), offset_(offset) {}

void TextWindow::consume(std::size_t num_bytes) {
  text_.remove_prefix(num_bytes);
  offset_ += static_cast<std::int64_t>(num_bytes);
}

bool TextWindow::extend() {
  if (text_.size() > Block::kHeadroom) return extend_joined();
  if (!blocks_.next(spare_)) return false;
  text_ = spare_.prepend(text_);
  std::swap(block_, spare_);
  joined_ = {};
  return true;
}

bool TextWindow::extend_joined() {
  const std::size_t size = text_.size();
  if (joined_.empty()) {
    joined_.assign(text_.begin(), text_.end());
  } else {
    joined_.erase(joined_.begin(), joined_.begin() + (text_.data() - joined_.data()));
  }
  joined_.resize(size + Block::kPadding);
  text_ = {joined_.data(), size};
  if (!blocks_.next(block_)) return false;
  const std::string_view added = block_.content();
  joined_.resize(size + added.size() + Block::kPadding);
  std::memcpy(joined_.data() + size, added.data(), added.size());
  text_ = {joined_.data(), size + added.size()};
  return true;
}

}  // namespace meshwright::data
