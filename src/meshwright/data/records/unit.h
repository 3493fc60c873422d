// SPDX-License-Identifier: Apache-2.0
// Internal to records/: parts of files that can be read in parallel.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "meshwright/data/records/data_files.h"
#include "meshwright/data/records/record_settings.h"

namespace meshwright::data {

struct ParquetPlan;

/// The records of a file that begin in a range of bytes, or of a row group.
struct Unit {
  std::size_t file = 0;
  std::int64_t begin = 0;
  std::int64_t end = std::numeric_limits<std::int64_t>::max();
  std::shared_ptr<const ParquetPlan> parquet = nullptr;
  std::size_t row_group = 0;                                            // if parquet is set
  std::shared_ptr<std::atomic<std::int64_t>> num_bytes_read = nullptr;  // if it is to be counted
};

/// Splits plain files of lines into ranges of `range_bytes`, and Parquet files into row groups;
/// other files are one unit each.
std::vector<Unit> units_of(const std::vector<DataFile>& files,
                           const RecordSettings& settings,
                           std::int64_t range_bytes);

}  // namespace meshwright::data
