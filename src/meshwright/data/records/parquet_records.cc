// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/records/parquet_records.h"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include <simdjson.h>

#include "meshwright/base/error.h"
#include "meshwright/base/str.h"
#include "meshwright/data/parquet/column_reader.h"
#include "meshwright/data/records/counted_file.h"
#include "meshwright/data/records/parquet_messages.h"
#include "meshwright/data/records/parquet_plan.h"
#include "meshwright/data/records/parquet_value.h"
#include "meshwright/io/user_file.h"

namespace meshwright::data {
namespace {

using parquet::ColumnReader;
using parquet::Entry;

class ParquetRecords : public RecordSource {
 public:
  ParquetRecords(const DataFile& file, const Unit& unit, const RecordSettings& settings)
      : path_(file.path), settings_(settings), row_group_(unit.row_group), plan_(unit.parquet) {
    if (plan_ == nullptr) return;
    const auto& format = std::get<ParquetFormat>(settings.format);
    num_fields_ = format.fields.size();
    has_messages_ = !format.messages.empty();
    fields_.resize(num_fields_);
    offset_ = first_offset();
    open(std::make_shared<const CountedFile>(io::open_user_file(path_), unit.num_bytes_read));
  }

  bool next(ParsedRecord& out) override {
    if (plan_ == nullptr) {
      plan_parquet(path_, settings_);  // throws, since it threw before
      return false;
    }
    out.parts.offset = offset_;
    out.problem.clear();
    try {
      if (num_rows_ == group().num_rows) return finish();
      read_row(out);
    } catch (const Error& error) {
      fail(error.code(), path_, ": row group ", row_group_, ", ", error.message());
    }
    ++num_rows_;
    return true;
  }

  std::int64_t offset() const override { return offset_; }
  std::optional<std::int64_t> num_records() const override {
    if (plan_ == nullptr) return std::nullopt;
    return group().num_rows;
  }

 private:
  const parquet::RowGroup& group() const { return plan_->row_groups[row_group_]; }

  std::int64_t first_offset() const {
    std::uint64_t out = group().chunks.front().offset;
    for (const parquet::ColumnChunk& chunk : group().chunks)
      out = std::min(out, chunk.offset);
    return static_cast<std::int64_t>(out);
  }

  void open(const std::shared_ptr<const io::ReadableFile>& file) {
    for (std::size_t i = 0; i < plan_->columns.size(); ++i) {
      const ParquetColumn& column = plan_->columns[i];
      columns_.emplace_back(file, group().chunks[i], column.node, column.path);
    }
    if (!has_messages_) return;
    messages_.emplace(columns_[num_fields_], columns_[num_fields_ + 1], *plan_, settings_);
  }

  bool finish() {
    for (ColumnReader& column : columns_) {
      if (column.peek() != nullptr) {
        fail(ErrorCode::data_loss, "column '", column.name(), "': has more than ", group().num_rows,
             " rows");
      }
    }
    return false;
  }

  // Reads all columns even after a problem, so that they stay at the same row.
  void read_row(ParsedRecord& out) {
    const std::size_t first_equal = num_fields_ + (has_messages_ ? 2 : 0);
    out.is_equal = true;
    for (std::size_t i = first_equal; i < columns_.size(); ++i) {
      const ValueOrNull value = next_value(columns_[i]);
      const std::string& wanted = settings_.filter.equal[i - first_equal].value;
      out.is_equal = out.is_equal && is_equal(columns_[i].node(), value, wanted);
    }
    for (std::size_t i = 0; i < num_fields_; ++i) {
      std::string problem = read_field(i);
      if (out.problem.empty()) out.problem = std::move(problem);
    }
    if (has_messages_) {
      std::string problem = messages_->next();
      if (out.problem.empty()) out.problem = std::move(problem);
      out.parts.messages = messages_->messages();
    }
    out.parts.fields = fields_;
  }

  ValueOrNull next_value(ColumnReader& column) const {
    const Entry* entry = column.peek();
    if (entry == nullptr) {
      fail(ErrorCode::data_loss, "column '", column.name(), "': has ", num_rows_,
           " rows, expected ", group().num_rows);
    }
    column.advance();
    if (entry->definition < column.node().max_definition) return std::nullopt;
    return entry->value;
  }

  std::string read_field(std::size_t index) {
    ColumnReader& column = columns_[index];
    const ValueOrNull value = next_value(column);
    if (!value) return str("the field '", column.name(), "' is null, expected a string");
    if (std::ssize(*value) > settings_.max_record_bytes)
      return str("longer than ", settings_.max_record_bytes, " bytes");
    if (!simdjson::validate_utf8(value->data(), value->size()))
      return str("the field '", column.name(), "' is not valid UTF-8");
    fields_[index] = *value;
    return "";
  }

  std::string path_;
  const RecordSettings& settings_;
  std::size_t row_group_;
  std::shared_ptr<const ParquetPlan> plan_;
  std::size_t num_fields_ = 0;
  bool has_messages_ = false;
  std::int64_t offset_ = 0;
  std::deque<ColumnReader> columns_;
  std::optional<ParquetMessages> messages_;
  std::vector<std::string_view> fields_;
  std::int64_t num_rows_ = 0;  // read
};

}  // namespace

std::unique_ptr<RecordSource> open_parquet_records(const DataFile& file,
                                                   const Unit& unit,
                                                   const RecordSettings& settings) {
  return std::make_unique<ParquetRecords>(file, unit, settings);
}

}  // namespace meshwright::data
