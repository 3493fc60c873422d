// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/records/record_reader.h"

#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/error.h"
#include "meshwright/base/str.h"
#include "meshwright/data/records/parallel_units.h"
#include "meshwright/data/records/unit_reader.h"

namespace meshwright::data {
namespace {

constexpr std::int64_t kMaxRecordBytes = std::int64_t{1} << 30;

const RecordSettings& checked(const RecordSettings& settings) {
  check(settings);
  return settings;
}

void check_fields(const std::vector<std::string>& fields, const std::string& messages) {
  MW_CHECK(!fields.empty() || !messages.empty(), "records: no fields are named");
}

}  // namespace

void check(const RecordSettings& settings) {
  MW_CHECK(settings.max_record_bytes >= 1 && settings.max_record_bytes <= kMaxRecordBytes,
           "records: max_record_bytes ", settings.max_record_bytes, " is not between 1 and ",
           kMaxRecordBytes);
  MW_CHECK(settings.num_threads >= 1, "records: num_threads ", settings.num_threads,
           " is less than 1");
  MW_CHECK(settings.skip_corrupt >= 0, "records: skip_corrupt ", settings.skip_corrupt,
           " is negative");
  MW_CHECK(settings.max_zstd_window_log >= 10 && settings.max_zstd_window_log <= 31,
           "records: max_zstd_window_log ", settings.max_zstd_window_log,
           " is not between 10 and 31");
  MW_CHECK(settings.filter.min_bytes <= settings.filter.max_bytes, "records: min_bytes ",
           settings.filter.min_bytes, " is more than max_bytes ", settings.filter.max_bytes);
  if (const auto* text = std::get_if<TextFormat>(&settings.format)) {
    MW_CHECK(text->split != TextSplit::separator || !text->separator.empty(),
             "records: the separator is empty");
    MW_CHECK(settings.filter.equal.empty(), "records: text files have no fields to compare");
  } else if (const auto* jsonl = std::get_if<JsonlFormat>(&settings.format)) {
    check_fields(jsonl->fields, jsonl->messages);
  } else {
    const auto& parquet = std::get<ParquetFormat>(settings.format);
    check_fields(parquet.fields, parquet.messages);
  }
}

RecordReader::RecordReader(std::vector<DataFile> files, const RecordSettings& settings)
    : files_(std::move(files)),
      settings_(checked(settings)),
      num_bytes_read_(std::make_shared<std::atomic<std::int64_t>>(0)) {
  const std::int64_t range_bytes =
      settings_.num_threads > 1 ? ParallelUnits::kRangeBytes : Unit{}.end;
  units_ = units_of(files_, settings_, range_bytes);
  file_counts_.resize(files_.size());
  for (Unit& unit : units_)
    unit.num_bytes_read = num_bytes_read_;
  if (settings_.num_threads > 1)
    parallel_ = std::make_unique<ParallelUnits>(files_, units_, settings_);
}

RecordReader::~RecordReader() = default;

std::optional<Record> RecordReader::next() {
  while (num_used_ == current_.size()) {
    num_used_ = 0;
    if (!next_batch(current_, &UnitReader::read_one)) return std::nullopt;
  }
  return current_.record(num_used_++);
}

bool RecordReader::next_batch(RecordBatch& batch) {
  return next_batch(batch, &UnitReader::read);
}

bool RecordReader::next_batch(RecordBatch& batch, Read read) {
  if (error_) std::rethrow_exception(error_);
  while (unit_ < units_.size()) {
    const bool has_more = read_unit(batch, read);
    number(batch);
    admit(batch);
    if (!has_more) {
      const std::size_t file = units_[unit_++].file;
      const bool is_same_file = unit_ < units_.size() && units_[unit_].file == file;
      num_before_ = is_same_file ? num_before_ + batch.num_read_ : 0;
    }
    if (batch.size() > 0 || !batch.corrupt_.empty() || batch.dropped_ != RecordCounts{})
      return true;
    if (error_) std::rethrow_exception(error_);
  }
  return false;
}

// Returns false if the unit ended with this batch.
bool RecordReader::read_unit(RecordBatch& batch, Read read) {
  if (parallel_ != nullptr) return parallel_->next(batch);
  if (reader_ == nullptr) {
    const Unit& unit = units_[unit_];
    reader_ = std::make_unique<UnitReader>(files_[unit.file], unit, settings_, ReadAhead::yes);
  }
  const bool has_more = (reader_.get()->*read)(batch);
  if (!has_more) reader_ = nullptr;
  return has_more;
}

// Makes numbers count from the beginning of the file.
void RecordReader::number(RecordBatch& batch) const {
  for (RecordBatch::Entry& entry : batch.entries_)
    entry.number += num_before_;
  for (CorruptRecord& corrupt : batch.corrupt_)
    corrupt.number += num_before_;
}

// Counts a batch, and cuts it at the first corrupt record that is one too many.
void RecordReader::admit(RecordBatch& batch) {
  RecordCounts found = batch.dropped_;
  for (const CorruptRecord& corrupt : batch.corrupt_) {
    if (counts_.corrupt + found.corrupt < settings_.skip_corrupt) {
      ++found.corrupt;
      continue;
    }
    batch.entries_.resize(corrupt.num_before);
    const std::int64_t num_skipped = counts_.corrupt + found.corrupt;
    const std::string skipped =
        num_skipped == 0 ? "" : str(" (after ", num_skipped, " skipped records)");
    error_ = std::make_exception_ptr(Error(
        ErrorCode::data_loss, str(files_[batch.file_].path, ": record ", corrupt.number,
                                  " at byte ", corrupt.offset, ": ", corrupt.reason, skipped)));
    break;
  }
  found.accepted = static_cast<std::int64_t>(batch.size());
  counts_ += found;
  file_counts_[batch.file_] += found;
}

}  // namespace meshwright::data
