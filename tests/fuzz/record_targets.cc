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

std::string all_records(const std::string& path, const data::RecordSettings& settings) {
  std::string out;
  data::RecordReader reader({data::describe_data_file(path)}, settings);
  while (std::optional<data::Record> record = reader.next()) {
    out += str(record->number, " ", record->offset);
    for (std::string_view field : record->fields)
      out += str(" ", field.size(), " ", field);
    for (const data::Message& message : record->messages)
      out += str(" ", message.role, ": ", message.content);
    out += "\n";
  }
  return out + str(reader.counts().corrupt);
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
  const std::string records = all_records(path, settings);
  settings.num_threads = 2;
  if (all_records(path, settings) != records)
    fail(ErrorCode::internal, "two threads read other records");
}

}  // namespace meshwright::fuzz
