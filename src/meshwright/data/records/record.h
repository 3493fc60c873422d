// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/io/buffer.h"

namespace meshwright::data {

struct Message {
  std::string_view role;
  std::string_view content;
  bool operator==(const Message&) const = default;
};

/// A document or example of a file.
struct Record {
  std::span<const std::string_view>
      fields;                         // as the format names them; the document of a text file
  std::span<const Message> messages;  // if the format names them
  std::size_t file = 0;               // index in the list of files
  std::int64_t number = 0;            // in the file, counting all records, even skipped ones
  std::int64_t offset = 0;  // in the uncompressed file; of the row group's first column in Parquet

  /// Requires a format with at least one field.
  std::string_view text() const { return fields.front(); }
};

/// A line or document that cannot be read as a record.
struct CorruptRecord {
  std::int64_t number = 0;
  std::int64_t offset = 0;
  std::string reason = {};
  std::size_t num_before = 0;  // records of the batch that precede it
};

/// Numbers of records by what became of them.
struct RecordCounts {
  std::int64_t accepted = 0;
  std::int64_t too_short = 0;  // dropped by RecordFilter::min_bytes
  std::int64_t too_long = 0;   // dropped by RecordFilter::max_bytes
  std::int64_t unequal = 0;    // dropped by RecordFilter::equal
  std::int64_t corrupt = 0;    // skipped, see RecordSettings::skip_corrupt

  RecordCounts& operator+=(const RecordCounts& other);
  bool operator==(const RecordCounts&) const = default;
};
inline RecordCounts operator+(RecordCounts a, const RecordCounts& b) {
  return a += b;
}

/// Records of one file, in order, and their bytes. Movable; views stay valid while it lives.
class RecordBatch {
 public:
  std::size_t size() const { return entries_.size(); }
  Record record(std::size_t index) const;
  std::size_t file() const { return file_; }
  /// Returns the records that were skipped, in order.
  std::span<const CorruptRecord> corrupt() const { return corrupt_; }
  /// Returns the memory that its bytes take.
  std::size_t num_bytes() const { return bytes_.size(); }

 private:
  friend class RecordBatchWriter;
  friend class RecordReader;

  struct Entry {
    std::int64_t number;
    std::int64_t offset;
    std::size_t fields_end;    // in fields_
    std::size_t messages_end;  // in messages_
  };

  std::size_t file_ = 0;
  io::Buffer bytes_;
  std::vector<Entry> entries_;
  std::vector<std::string_view> fields_;
  std::vector<Message> messages_;
  std::vector<CorruptRecord> corrupt_;
  RecordCounts dropped_;       // accepted and corrupt stay 0
  std::int64_t num_read_ = 0;  // records of the unit so far, dropped and corrupt ones included
};

}  // namespace meshwright::data
