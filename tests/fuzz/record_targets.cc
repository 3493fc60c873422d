// SPDX-License-Identifier: Apache-2.0
#include "record_targets.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <variant>

#include "meshwright/base/error.h"
#include "meshwright/base/str.h"
#include "meshwright/base/temporary_folder_testutil.h"
#include "meshwright/data/records/record_reader.h"

namespace meshwright::fuzz {
namespace {

// A few bytes of a Parquet file can encode billions of records.
constexpr std::int64_t kMaxRecords = 10000;

std::string all_records(const std::string& path, const data::RecordSettings& settings) {
  std::string out;
  data::RecordReader reader({data::describe_data_file(path)}, settings);
  for (std::int64_t i = 0; i < kMaxRecords; ++i) {
    const std::optional<data::Record> record = reader.next();
    if (!record) return out + str(reader.counts().corrupt);
    out += str(record->number, " ", record->offset);
    for (std::string_view field : record->fields)
      out += str(" ", field.size(), " ", field);
    for (const data::Message& message : record->messages)
      out += str(" ", message.role, ": ", message.content);
    out += "\n";
  }
  return out;
}

void compare_threads(const std::string& path, data::RecordSettings settings) {
  const std::string records = all_records(path, settings);
  settings.num_threads = 2;
  if (all_records(path, settings) != records)
    fail(ErrorCode::internal, "two threads read other records");
}

}  // namespace

// The first byte selects the format; the rest is a file, perhaps compressed.
void read_records(std::string_view bytes) {
  using data::TextSplit;
  if (bytes.empty()) return;
  static const TemporaryFolder folder;
  const std::string path = (folder.path() / "file").string();
  std::ofstream(path, std::ios::binary) << bytes.substr(1);
  data::RecordSettings settings{.max_record_bytes = 1000, .skip_corrupt = 1 << 20};
  switch (bytes[0]) {
    case 'm':
      settings.format = data::JsonlFormat{.fields = {"a.b"}, .messages = "messages"};
      break;
    case 'f':
      settings.format = data::TextFormat{.split = TextSplit::files};
      break;
    case 'b':
      settings.format = data::TextFormat{.split = TextSplit::blank_lines};
      break;
    case 'l':
      settings.format = data::TextFormat{.split = TextSplit::lines};
      break;
    case 's':
      settings.format = data::TextFormat{.split = TextSplit::separator, .separator = "<>"};
      break;
    default:
      settings.filter.equal = {{.path = "lang", .value = "en"}};
      break;
  }
  compare_threads(path, settings);
}

// The first byte selects the columns; the rest is a file.
void read_parquet(std::string_view bytes) {
  if (bytes.empty()) return;
  static const TemporaryFolder folder;
  const std::string path = (folder.path() / "file").string();
  std::ofstream(path, std::ios::binary) << bytes.substr(1);
  data::ParquetFormat format;
  if (bytes[0] == 'm') format = {.fields = {}, .messages = "messages"};
  data::RecordSettings settings{
      .format = format, .max_record_bytes = 1000, .skip_corrupt = kMaxRecords};
  if (bytes[0] == 'n')
    settings.filter.equal = {{.path = "n", .value = "1"}, {.path = "b", .value = "true"}};
  compare_threads(path, settings);
}

}  // namespace meshwright::fuzz
