// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/records/unit.h"

#include "meshwright/base/error.h"
#include "meshwright/data/records/byte_stream.h"
#include "meshwright/data/records/parquet_records.h"
#include "meshwright/io/user_file.h"

namespace meshwright::data {
namespace {

bool has_lines(const RecordSettings& settings) {
  const auto* text = std::get_if<TextFormat>(&settings.format);
  return text == nullptr || text->split == TextSplit::lines;
}

// A file with a damaged footer becomes one unit; reading that reports the damage.
void add_row_groups(std::size_t file,
                    const std::string& path,
                    const RecordSettings& settings,
                    std::vector<Unit>& out) {
  try {
    const std::shared_ptr<const ParquetPlan> plan = plan_parquet(path, settings);
    for (std::size_t i = 0; i < num_row_groups(*plan); ++i)
      out.push_back({.file = file, .parquet = plan, .row_group = i});
  } catch (const Error& error) {
    if (error.code() != ErrorCode::data_loss) throw;
    out.push_back({.file = file});
  }
}

}  // namespace

std::vector<Unit> units_of(const std::vector<DataFile>& files,
                           const RecordSettings& settings,
                           std::int64_t range_bytes) {
  const bool is_parquet = std::holds_alternative<ParquetFormat>(settings.format);
  std::vector<Unit> out;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const DataFile& file = files[i];
    if (is_parquet) {
      add_row_groups(i, file.path, settings, out);
      continue;
    }
    const bool is_split =
        has_lines(settings) && file.num_bytes > range_bytes &&
        compression_of(*io::open_user_file(file.path), file.path) == Compression::none;
    if (!is_split) {
      out.push_back({.file = i});
      continue;
    }
    for (std::int64_t begin = 0; begin < file.num_bytes; begin += range_bytes)
      out.push_back({.file = i, .begin = begin, .end = begin + range_bytes});
  }
  return out;
}

}  // namespace meshwright::data
