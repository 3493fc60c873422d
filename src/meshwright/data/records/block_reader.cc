// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/records/block_reader.h"

#include <cstring>
#include <utility>

namespace meshwright::data {

bool Block::fill(ByteStream& stream) {
  if (bytes_ == nullptr) bytes_ = std::make_unique<char[]>(kHeadroom + kContent + kPadding);
  num_bytes_ = 0;
  while (num_bytes_ < kContent) {
    char* const begin = bytes_.get() + kHeadroom + num_bytes_;
    const std::size_t num_read =
        stream.read(std::as_writable_bytes(std::span(begin, kContent - num_bytes_)));
    if (num_read == 0) break;
    num_bytes_ += num_read;
  }
  return num_bytes_ > 0;
}

std::string_view Block::prepend(std::string_view before) {
  char* const begin = bytes_.get() + kHeadroom - before.size();
  if (!before.empty()) std::memcpy(begin, before.data(), before.size());
  return {begin, before.size() + num_bytes_};
}

BlockReader::BlockReader(std::unique_ptr<ByteStream> stream, ReadAhead ahead)
    : stream_(std::move(stream)) {
  if (ahead == ReadAhead::yes) thread_ = std::thread([this] { read_ahead(); });
}

BlockReader::~BlockReader() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool BlockReader::next(Block& block) {
  if (!thread_.joinable() && !is_at_end_) fill_one();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !full_.empty() || is_at_end_; });
  if (full_.empty()) {
    if (error_) std::rethrow_exception(error_);
    return false;
  }
  free_.push_back(std::exchange(block, std::move(full_.front())));
  full_.pop_front();
  lock.unlock();
  changed_.notify_all();
  return true;
}

void BlockReader::read_ahead() {
  do {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return full_.size() < kMaxAhead || is_closing_; });
    if (is_closing_) return;
  } while (fill_one());
}

bool BlockReader::fill_one() {
  Block block;
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      block = std::move(free_.back());
      free_.pop_back();
    }
  }
  std::exception_ptr error;
  bool has_more = false;
  try {
    has_more = block.fill(*stream_);
  } catch (...) {
    error = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  if (!block.content().empty()) full_.push_back(std::move(block));
  is_at_end_ = !has_more;
  error_ = error;
  changed_.notify_all();
  return has_more;
}

}  // namespace meshwright::data
