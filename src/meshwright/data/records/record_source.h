// SPDX-License-Identifier: Apache-2.0
// Internal to records/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "meshwright/data/records/record_batch_writer.h"

namespace meshwright::data {

struct ParsedRecord {
  RecordParts parts;         // without the number
  std::string problem = {};  // why the record is corrupt; empty if it is not
  bool is_equal = true;      // see RecordFilter::equal
};

/// The records of a unit, in order.
class RecordSource {
 public:
  virtual ~RecordSource() = default;

  /// Returns false at the end. The record is valid until the next call. Throws data_loss for damage
  /// that ends the unit; the message may begin with the name of the file and ": ".
  virtual bool next(ParsedRecord& out) = 0;
  /// Returns the offset that is reported for damage.
  virtual std::int64_t offset() const = 0;
  /// Returns the number of records in the unit if it is known before they are read.
  virtual std::optional<std::int64_t> num_records() const { return std::nullopt; }
};

}  // namespace meshwright::data
