// SPDX-License-Identifier: Apache-2.0
// Internal to token_files/: little-endian numbers in files.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "meshwright/base/number_at.h"
#include "meshwright/io/file_system.h"

namespace meshwright::data {

/// Reads numbers that lie one after the other in a file, which must outlive it. Fast if they are
/// asked for in ascending order. Not thread-safe.
template <typename T>
class NumberReader {
 public:
  NumberReader(const io::ReadableFile& file, std::uint64_t offset, std::uint64_t size)
      : file_(file), offset_(offset), size_(size) {}

  T operator[](std::uint64_t index) const {
    if (index - begin_ >= block_.size()) read_block(index);
    return block_[static_cast<std::size_t>(index - begin_)];
  }

 private:
  void read_block(std::uint64_t index) const {
    constexpr std::uint64_t kBlock = 1 << 16;
    begin_ = index;
    block_.resize(static_cast<std::size_t>(std::min(kBlock, size_ - index)));
    file_.read(offset_ + begin_ * sizeof(T), std::as_writable_bytes(std::span(block_)));
  }

  const io::ReadableFile& file_;
  std::uint64_t offset_, size_;
  mutable std::uint64_t begin_ = 0;
  mutable std::vector<T> block_;
};

}  // namespace meshwright::data
