// SPDX-License-Identifier: Apache-2.0
// Internal to parquet/: the pages of a column chunk.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "meshwright/data/parquet/file_metadata.h"
#include "meshwright/data/parquet/page_header.h"
#include "meshwright/io/buffer.h"
#include "meshwright/io/file_system.h"

namespace meshwright::data::parquet {

/// A decompressed page.
struct Page {
  PageHeader header;
  std::string_view repetition_levels;  // version 2 only
  std::string_view definition_levels;  // version 2 only
  std::string_view body;               // the values; in version 1, the levels and the values
};

/// Memory: the stored bytes of one page, and the page.
class PageReader {
 public:
  PageReader(std::shared_ptr<const io::ReadableFile> file, const ColumnChunk& chunk);

  /// Reads the next page, which is valid until the next call. Returns false at the end of the
  /// chunk. Throws data_loss.
  bool next(Page& page);
  /// Returns the offset in the file of the page that was read last.
  std::uint64_t offset() const { return offset_; }

 private:
  std::string_view window(std::uint64_t num_bytes);
  PageHeader read_header();
  void decompress_body(std::string_view stored, Page& page);

  std::shared_ptr<const io::ReadableFile> file_;
  PageCodec codec_;
  std::uint64_t next_;  // offset of the next page
  std::uint64_t end_;
  std::uint64_t offset_;
  io::Buffer window_;
  std::uint64_t window_begin_ = 0;  // offset in the file
  io::Buffer decompressed_;
};

}  // namespace meshwright::data::parquet
