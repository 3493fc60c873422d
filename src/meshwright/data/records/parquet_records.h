// SPDX-License-Identifier: Apache-2.0
// Internal to records/: records of Parquet files.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "meshwright/data/records/record_source.h"
#include "meshwright/data/records/unit.h"

namespace meshwright::data {

/// The row groups of a file, and where it has the columns that settings name.
struct ParquetPlan;

/// Throws invalid_argument if the file lacks a column or it has another type, unimplemented if it
/// cannot be read, data_loss if the footer is damaged.
std::shared_ptr<const ParquetPlan> plan_parquet(const std::string& path,
                                                const RecordSettings& settings);
std::size_t num_row_groups(const ParquetPlan& plan);

/// Opens a row group. Settings must outlive the result. If the unit has no plan, the first record
/// throws what planning throws. Memory: one page and one dictionary for each column.
std::unique_ptr<RecordSource> open_parquet_records(const DataFile& file,
                                                   const Unit& unit,
                                                   const RecordSettings& settings);

}  // namespace meshwright::data
