// SPDX-License-Identifier: Apache-2.0
// Internal to records/: the fields of a line of JSON.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/data/records/record.h"
#include "meshwright/data/records/record_settings.h"

namespace meshwright::data {

struct JsonPath {
  std::string name;  // "meta.title"
  std::vector<std::string> members;
};

/// Parses with simdjson's DOM, which checks the whole line, whatever instructions the program was
/// compiled for.
class JsonFields {
 public:
  JsonFields(const JsonlFormat& format, const std::vector<FieldEquals>& equal);
  ~JsonFields();
  JsonFields(const JsonFields&) = delete;
  JsonFields& operator=(const JsonFields&) = delete;

  /// Reads the fields of a line that is followed by 64 readable bytes. Returns the reason why it is
  /// corrupt: not JSON by RFC 8259 or UTF-8, a lone surrogate, a number that no 64-bit type
  /// represents, nesting deeper than 1024, a missing or repeated field, or one of another kind.
  /// Returns an empty string for a valid line.
  std::string parse(std::string_view line);

  // Results of the last valid line, valid until the next call.
  const std::vector<std::string_view>& fields() const { return fields_; }
  const std::vector<Message>& messages() const { return messages_; }
  /// True if all values of `equal` match.
  bool is_equal() const { return is_equal_; }

 private:
  struct Parser;
  std::string parse_messages();

  std::vector<JsonPath> field_paths_;
  std::vector<JsonPath> equal_paths_;
  std::vector<std::string> equal_values_;
  bool has_messages_;
  JsonPath messages_path_;
  JsonPath role_path_;
  JsonPath content_path_;
  std::unique_ptr<Parser> parser_;
  std::vector<std::string_view> fields_;
  std::vector<Message> messages_;
  bool is_equal_ = true;
};

}  // namespace meshwright::data
