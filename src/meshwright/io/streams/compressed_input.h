// SPDX-License-Identifier: Apache-2.0
// Internal to streams/: the stored bytes of a compressed file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/io/buffer.h"
#include "meshwright/io/streams/byte_stream.h"

namespace meshwright::io {

/// Reads a file from the beginning in blocks of bounded size.
class CompressedInput {
 public:
  CompressedInput(std::shared_ptr<const ReadableFile> file,
                  std::string name,
                  const StreamOptions& options)
      : file_(std::move(file)), name_(std::move(name)), block_(options.input_bytes) {}

  /// Returns the next bytes; none at the end of the file.
  std::span<const std::byte> next() {
    const std::uint64_t left = file_->num_bytes() - num_read_;
    const std::span<std::byte> out =
        block_.span().first(static_cast<std::size_t>(std::min<std::uint64_t>(left, block_.size())));
    file_->read(num_read_, out);
    num_read_ += out.size();
    return out;
  }

  /// Throws data_loss at the first of the last `num_unused` bytes that next() returned.
  [[noreturn]] void fail_at(std::size_t num_unused,
                            std::string_view format,
                            std::string_view problem) const {
    fail(ErrorCode::data_loss, name_, ": ", format, " data: ", problem, " at byte ",
         num_read_ - num_unused, " of the file");
  }

 private:
  std::shared_ptr<const ReadableFile> file_;
  std::string name_;
  Buffer block_;
  std::uint64_t num_read_ = 0;
};

}  // namespace meshwright::io
