// SPDX-License-Identifier: Apache-2.0
// The footer of a Parquet file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "meshwright/data/parquet/page_codec.h"
#include "meshwright/data/parquet/schema.h"
#include "meshwright/io/file_system.h"

namespace meshwright::data::parquet {

/// A column of a row group. Its pages lie within the file.
struct ColumnChunk {
  PageCodec codec = PageCodec::uncompressed;
  std::uint64_t offset = 0;     // in the file
  std::uint64_t num_bytes = 0;  // stored
  std::uint64_t num_values = 0;
};

struct RowGroup {
  std::int64_t num_rows = 0;
  std::vector<ColumnChunk> chunks = {};  // of the columns that were asked for, in their order
};

struct FileMetadata {
  Schema schema;
  std::vector<RowGroup> row_groups;
};

/// Returns the leaves of the columns to read.
using ChooseLeaves = std::function<std::vector<std::size_t>(const Schema& schema)>;

/// Reads the footer. Throws data_loss for a damaged file, and unimplemented for an encrypted file
/// or an unsupported codec. All messages begin with `name`, including those of errors that `choose`
/// throws.
FileMetadata read_metadata(const io::ReadableFile& file,
                           const std::string& name,
                           const ChooseLeaves& choose);

}  // namespace meshwright::data::parquet
