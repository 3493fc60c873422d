// SPDX-License-Identifier: Apache-2.0
// Reads one column of a row group.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/data/parquet/bit_runs.h"
#include "meshwright/data/parquet/page_reader.h"
#include "meshwright/data/parquet/value_decoder.h"

namespace meshwright::data::parquet {

/// A value, null or empty list, with its levels.
struct Entry {
  int repetition = 0;
  int definition = 0;
  std::string_view value;  // if definition is the maximum
};

/// Decodes pages as they are needed. Memory: one page, the dictionary, and 1024 entries.
class ColumnReader {
 public:
  /// `name` is for messages.
  ColumnReader(std::shared_ptr<const io::ReadableFile> file,
               const ColumnChunk& chunk,
               const SchemaNode& node,
               std::string name);

  /// Returns the next entry without consuming it, or nullptr at the end. Its value is valid until
  /// the next call of peek() after advance(). Throws data_loss for damage, and unimplemented for
  /// pages in encodings that are not supported, with the offset of the page.
  const Entry* peek() {
    if (next_ == num_entries_ && !refill()) return nullptr;
    return &entries_[next_];
  }
  void advance() { ++next_; }
  const std::string& name() const { return name_; }
  const SchemaNode& node() const { return node_; }

 private:
  static constexpr std::size_t kBatch = 1024;

  bool refill();
  void decode_batch();
  bool next_page();
  void begin_page(const Page& page);
  void begin_levels(const Page& page, std::string_view& body);
  void use_dictionary(const Page& page);

  PageReader pages_;
  const SchemaNode node_;
  std::string name_;
  std::uint64_t num_left_;  // values of the chunk
  std::size_t num_left_in_page_ = 0;
  io::Buffer dictionary_bytes_;
  std::vector<std::string_view> dictionary_;
  bool has_dictionary_ = false;
  BitRuns repetition_;
  BitRuns definition_;
  std::unique_ptr<ValueDecoder> values_;

  std::array<std::uint32_t, kBatch> repetitions_{};
  std::array<std::uint32_t, kBatch> definitions_{};
  std::size_t num_levels_ = 0;
  std::size_t next_level_ = 0;
  std::array<std::string_view, kBatch> decoded_{};
  std::array<Entry, kBatch> entries_{};
  std::size_t num_entries_ = 0;
  std::size_t next_ = 0;
};

}  // namespace meshwright::data::parquet
