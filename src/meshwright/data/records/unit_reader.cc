// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/records/unit_reader.h"

#include <algorithm>
#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/data/records/parquet_records.h"
#include "meshwright/data/records/piece_records.h"

namespace meshwright::data {
namespace {

std::unique_ptr<RecordSource> open_records(const DataFile& file,
                                           const Unit& unit,
                                           const RecordSettings& settings,
                                           ReadAhead ahead) {
  check_unchanged(file);
  if (std::holds_alternative<ParquetFormat>(settings.format))
    return open_parquet_records(file, unit, settings);
  return open_piece_records(file, unit, settings, ahead);
}

std::string without_prefix(const std::string& message, const std::string& prefix) {
  return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
}

}  // namespace

UnitReader::UnitReader(const DataFile& file,
                       const Unit& unit,
                       const RecordSettings& settings,
                       ReadAhead ahead)
    : settings_(settings),
      file_(unit.file),
      name_(file.path),
      records_(open_records(file, unit, settings, ahead)) {}

bool UnitReader::read(RecordBatch& batch) {
  RecordBatchWriter writer(batch, file_);
  Step step = Step::record;
  while (step == Step::record) {
    if (!has_pending_) step = advance(writer);
    if (step != Step::record) break;
    has_pending_ = !writer.add(current_.parts);
    if (has_pending_) step = Step::batch_full;
  }
  writer.set_num_read(num_read_);
  return step != Step::end;
}

bool UnitReader::read_one(RecordBatch& batch) {
  RecordBatchWriter writer(batch, file_);
  const Step step = advance(writer);
  if (step == Step::record) writer.borrow(current_.parts);
  writer.set_num_read(num_read_);
  return step != Step::end;
}

// Finds the next record that the filters accept.
UnitReader::Step UnitReader::advance(RecordBatchWriter& batch) {
  while (next_record(current_)) {
    if (current_.problem.empty()) {
      if (is_accepted(batch.dropped())) return Step::record;
      continue;
    }
    const bool has_room = batch.add_corrupt({.number = current_.parts.number,
                                             .offset = current_.parts.offset,
                                             .reason = std::exchange(current_.problem, {})});
    if (!has_room) return Step::batch_full;
  }
  return Step::end;
}

// Damage that ends the unit takes the place of its last record.
bool UnitReader::next_record(ParsedRecord& record) {
  if (is_damaged_) return false;
  record.parts.number = num_read_;
  try {
    if (!records_->next(record)) return false;
    ++num_read_;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::data_loss) throw;
    is_damaged_ = true;
    record.problem = without_prefix(error.message(), name_ + ": ");
    record.parts.offset = records_->offset();
    num_read_ = std::max(num_read_ + 1, records_->num_records().value_or(0));
  }
  return true;
}

bool UnitReader::is_accepted(RecordCounts& dropped) const {
  if (!current_.is_equal) {
    ++dropped.unequal;
    return false;
  }
  std::int64_t num_bytes = 0;
  for (std::string_view field : current_.parts.fields)
    num_bytes += std::ssize(field);
  for (const Message& message : current_.parts.messages)
    num_bytes += std::ssize(message.content);
  if (num_bytes < settings_.filter.min_bytes) {
    ++dropped.too_short;
    return false;
  }
  if (num_bytes > settings_.filter.max_bytes) {
    ++dropped.too_long;
    return false;
  }
  return true;
}

}  // namespace meshwright::data
