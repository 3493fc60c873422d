// SPDX-License-Identifier: Apache-2.0
// Internal to records/: the columns of a Parquet file that become records.
#pragma once

#include <string>
#include <vector>

#include "meshwright/data/parquet/file_metadata.h"
#include "meshwright/data/records/record_settings.h"

namespace meshwright::data {

struct ParquetColumn {
  std::string path;
  parquet::SchemaNode node;
};

struct ParquetPlan {
  // In this order: the fields, role and content if there are messages, columns to compare.
  std::vector<ParquetColumn> columns = {};
  std::vector<parquet::RowGroup> row_groups = {};
  int list_definition = 0;     // of a list of messages that is not empty
  int element_definition = 0;  // of a message that is not null
};

}  // namespace meshwright::data
