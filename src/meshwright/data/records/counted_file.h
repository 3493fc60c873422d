// SPDX-License-Identifier: Apache-2.0
// Internal to records/.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "meshwright/io/file_system.h"

namespace meshwright::data {

/// Adds the number of bytes that are read from a file to `count`.
class CountedFile : public io::ReadableFile {
 public:
  CountedFile(std::unique_ptr<io::ReadableFile> file,
              std::shared_ptr<std::atomic<std::int64_t>> count)
      : file_(std::move(file)), count_(std::move(count)) {}

  std::uint64_t num_bytes() const override { return file_->num_bytes(); }
  void read(std::uint64_t offset, std::span<std::byte> out) const override {
    file_->read(offset, out);
    if (count_ != nullptr) count_->fetch_add(std::ssize(out), std::memory_order_relaxed);
  }

 private:
  std::unique_ptr<io::ReadableFile> file_;
  std::shared_ptr<std::atomic<std::int64_t>> count_;
};

}  // namespace meshwright::data
