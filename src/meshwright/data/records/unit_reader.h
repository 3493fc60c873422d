// SPDX-License-Identifier: Apache-2.0
// Internal to records/: a file, or a range of one, as batches of records.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "meshwright/data/records/block_reader.h"
#include "meshwright/data/records/data_files.h"
#include "meshwright/data/records/record_batch_writer.h"
#include "meshwright/data/records/record_settings.h"
#include "meshwright/data/records/record_source.h"
#include "meshwright/data/records/unit.h"

namespace meshwright::data {

/// Reads one unit. Record numbers count from the beginning of the unit. Settings must outlive it.
class UnitReader {
 public:
  UnitReader(const DataFile& file,
             const Unit& unit,
             const RecordSettings& settings,
             ReadAhead ahead);

  /// Fills `batch`, replacing its content. Returns false if the unit ended with this batch. Damage
  /// to a stream ends the unit with a corrupt record. Throws if the file cannot be opened or read.
  bool read(RecordBatch& batch);
  /// Reads one record, whose bytes are not copied and valid until the next call. Do not mix with
  /// read().
  bool read_one(RecordBatch& batch);

 private:
  enum class Step { record, batch_full, end };

  Step advance(RecordBatchWriter& batch);
  bool next_record(ParsedRecord& record);
  bool is_accepted(RecordCounts& dropped) const;

  const RecordSettings& settings_;
  std::size_t file_;
  std::string name_;
  std::unique_ptr<RecordSource> records_;
  std::int64_t num_read_ = 0;
  bool is_damaged_ = false;

  ParsedRecord current_;
  bool has_pending_ = false;  // the current record did not fit the last batch
};

}  // namespace meshwright::data
