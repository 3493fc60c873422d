// SPDX-License-Identifier: Apache-2.0
// How files become records.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace meshwright::data {

enum class TextSplit {
  files,        // a document per file
  blank_lines,  // documents are separated by one or more blank lines
  lines,        // a document per line
  separator,    // documents are separated by a string
  blocks,       // parts of a file of about 64 KiB, cut after line breaks where there are any
};

struct TextFormat {
  TextSplit split = TextSplit::files;
  std::string separator = {};
  /// Makes a document that is not valid UTF-8 a corrupt record.
  bool check_utf8 = true;
};

/// One JSON object per line. A path is the name of a member, or names joined by dots for nested
/// objects: "meta.title".
struct JsonlFormat {
  /// Paths of the strings of a record.
  std::vector<std::string> fields = {"text"};
  /// Path of a list of messages; empty for none.
  std::string messages = {};
  std::string role_field = "role";
  std::string content_field = "content";
};

/// Parquet files. A path is the name of a column, or names joined by dots for columns in structs.
struct ParquetFormat {
  /// Paths of the strings of a record.
  std::vector<std::string> fields = {"text"};
  /// Path of a list of structs; empty for none.
  std::string messages = {};
  std::string role_field = "role";
  std::string content_field = "content";
};

/// Accepts records in which the value at a path is this string, number, true, false or null, as
/// written in JSON but without quotes. For JSONL and Parquet only.
struct FieldEquals {
  std::string path;
  std::string value;
};

struct RecordFilter {
  /// Limits on the size of all strings and contents of messages together.
  std::int64_t min_bytes = 0;
  std::int64_t max_bytes = INT64_MAX;
  std::vector<FieldEquals> equal = {};  // all of them
};

struct RecordSettings {
  std::variant<TextFormat, JsonlFormat, ParquetFormat> format = JsonlFormat{};
  RecordFilter filter = {};
  /// A longer line or document is corrupt. Bounds the memory of a reader.
  std::int64_t max_record_bytes = std::int64_t{64} << 20;
  /// Number of corrupt records to skip before the next one is an error.
  std::int64_t skip_corrupt = 0;
  int max_zstd_window_log = 27;  // see StreamOptions
  int num_threads = 1;
};

/// Throws invalid_argument for settings that make no sense.
void check(const RecordSettings& settings);

}  // namespace meshwright::data
