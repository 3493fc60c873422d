// SPDX-License-Identifier: Apache-2.0
// Internal to records/: a file, or a range of one, as batches of records.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/data/records/data_files.h"
#include "meshwright/data/records/json_fields.h"
#include "meshwright/data/records/piece_reader.h"
#include "meshwright/data/records/record_batch_writer.h"
#include "meshwright/data/records/record_settings.h"

namespace meshwright::data {

/// The records of a file that begin in a range of bytes.
struct Unit {
  std::size_t file = 0;
  std::int64_t begin = 0;
  std::int64_t end = std::numeric_limits<std::int64_t>::max();
};

/// Splits plain files of lines into ranges of `range_bytes`; other files are one unit each.
std::vector<Unit> units_of(const std::vector<DataFile>& files,
                           const RecordSettings& settings,
                           std::int64_t range_bytes);

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
  bool next_piece(Piece& piece, std::string& damage);
  std::string parse(const Piece& piece);
  bool is_accepted(RecordCounts& dropped) const;

  const RecordSettings& settings_;
  std::size_t file_;
  std::string name_;
  PieceReader pieces_;
  std::optional<JsonFields> json_;
  std::int64_t num_pieces_ = 0;
  bool is_damaged_ = false;

  RecordParts current_;       // views of the current piece
  std::string_view text_;     // the only field of a text document
  bool has_pending_ = false;  // the current record did not fit the last batch
};

}  // namespace meshwright::data
