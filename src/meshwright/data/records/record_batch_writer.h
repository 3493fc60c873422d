// SPDX-License-Identifier: Apache-2.0
// Internal to records/.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "meshwright/data/records/record.h"

namespace meshwright::data {

/// A record that was not copied yet.
struct RecordParts {
  std::span<const std::string_view> fields = {};
  std::span<const Message> messages = {};
  std::int64_t number = 0;
  std::int64_t offset = 0;
};

/// Fills a batch, reusing its memory.
class RecordBatchWriter {
 public:
  RecordBatchWriter(RecordBatch& batch, std::size_t file);

  /// Copies a record. Returns false if it must go to the next batch.
  bool add(const RecordParts& record);
  /// Adds a record without copying its bytes.
  void borrow(const RecordParts& record);
  /// Returns false once the batch has as many corrupt records as it should.
  bool add_corrupt(CorruptRecord corrupt);
  RecordCounts& dropped() { return batch_.dropped_; }
  void set_num_read(std::int64_t num_read) { batch_.num_read_ = num_read; }

 private:
  std::string_view copy(std::string_view text);
  void add_entry(const RecordParts& record);

  RecordBatch& batch_;
  std::size_t num_bytes_ = 0;
};

}  // namespace meshwright::data
