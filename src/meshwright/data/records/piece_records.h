// SPDX-License-Identifier: Apache-2.0
// Internal to records/: records of text and JSONL files.
#pragma once

#include <memory>

#include "meshwright/data/records/piece_reader.h"
#include "meshwright/data/records/record_source.h"
#include "meshwright/data/records/unit.h"

namespace meshwright::data {

/// Settings must outlive the result.
std::unique_ptr<RecordSource> open_piece_records(const DataFile& file,
                                                 const Unit& unit,
                                                 const RecordSettings& settings,
                                                 ReadAhead ahead);

}  // namespace meshwright::data
