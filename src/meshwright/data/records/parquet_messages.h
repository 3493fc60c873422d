// SPDX-License-Identifier: Apache-2.0
// Internal to records/.
#pragma once

#include <string>
#include <vector>

#include "meshwright/data/parquet/column_reader.h"
#include "meshwright/data/records/parquet_plan.h"
#include "meshwright/data/records/record.h"

namespace meshwright::data {

/// Joins the columns of roles and contents to the messages of rows.
class ParquetMessages {
 public:
  /// The arguments must outlive it.
  ParquetMessages(parquet::ColumnReader& roles,
                  parquet::ColumnReader& contents,
                  const ParquetPlan& plan,
                  const RecordSettings& settings);

  /// Reads the next row. Returns why it is corrupt; empty if it is not. Throws data_loss if the
  /// columns disagree.
  std::string next();
  /// Returns the messages of the last row, valid until the next call.
  const std::vector<Message>& messages() const { return messages_; }

 private:
  struct Range {
    std::size_t role_end;
    std::size_t content_end;
  };

  std::string add_message();
  std::string add_text(const parquet::ColumnReader& column, const parquet::Entry& entry);

  parquet::ColumnReader& roles_;
  parquet::ColumnReader& contents_;
  const ParquetPlan& plan_;
  const RecordSettings& settings_;
  const std::string name_;
  std::string text_;           // pages may change within a row, so the texts are copied
  std::vector<Range> ranges_;  // in text_
  std::vector<Message> messages_;
  std::size_t num_read_ = 0;  // messages of the row, corrupt ones included
};

}  // namespace meshwright::data
