// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/records/parquet_messages.h"

#include <utility>

#include <simdjson.h>

#include "meshwright/base/error.h"
#include "meshwright/base/str.h"

namespace meshwright::data {
namespace {

// Counts against the limit of a record in addition to the texts, since a few bytes of a column can
// encode any number of empty messages. A message takes at least as many bytes in JSON.
constexpr std::int64_t kMessageBytes = 24;

}  // namespace

using parquet::ColumnReader;
using parquet::Entry;

ParquetMessages::ParquetMessages(ColumnReader& roles,
                                 ColumnReader& contents,
                                 const ParquetPlan& plan,
                                 const RecordSettings& settings)
    : roles_(roles),
      contents_(contents),
      plan_(plan),
      settings_(settings),
      name_(std::get<ParquetFormat>(settings.format).messages) {}

std::string ParquetMessages::next() {
  text_.clear();
  ranges_.clear();
  messages_.clear();
  num_read_ = 0;
  std::string problem;
  bool is_first = true;
  while (true) {
    const Entry* role = roles_.peek();
    const Entry* content = contents_.peek();
    const bool has_role = role != nullptr && (is_first || role->repetition > 0);
    const bool has_content = content != nullptr && (is_first || content->repetition > 0);
    const bool begins_row = !is_first || !has_role || role->repetition == 0;
    if (has_role != has_content || (is_first && !has_role) || !begins_row ||
        (has_role && role->repetition != content->repetition)) {
      fail(ErrorCode::data_loss, "column '", name_,
           "': the lists of roles and contents do not match the rows");
    }
    if (!has_role) break;
    is_first = false;
    std::string found = add_message();
    if (problem.empty()) problem = std::move(found);
  }
  std::size_t begin = 0;
  const std::string_view text = text_;
  for (const Range& range : ranges_) {
    messages_.push_back(
        {.role = text.substr(begin, range.role_end - begin),
         .content = text.substr(range.role_end, range.content_end - range.role_end)});
    begin = range.content_end;
  }
  return problem;
}

std::string ParquetMessages::add_message() {
  const Entry& role = *roles_.peek();
  const Entry& content = *contents_.peek();
  roles_.advance();
  contents_.advance();
  const int definition = role.definition;
  const bool has_element = definition >= plan_.list_definition;
  if (has_element != (content.definition >= plan_.list_definition))
    fail(ErrorCode::data_loss, "column '", name_, "': roles and contents differ in number");
  if (!has_element) {
    return definition == plan_.list_definition - 1
               ? ""
               : str("the field '", name_, "' is null, expected a list");
  }
  const std::size_t index = num_read_++;
  std::string problem;
  if (std::ssize(ranges_) >= settings_.max_record_bytes / kMessageBytes)
    problem = str("the record is longer than ", settings_.max_record_bytes, " bytes");
  if (definition < plan_.element_definition) problem = "is null, expected a struct";
  if (problem.empty()) problem = add_text(roles_, role);
  const std::size_t role_end = text_.size();
  if (problem.empty()) problem = add_text(contents_, content);
  if (!problem.empty()) return str("message ", index, " of '", name_, "': ", problem);
  ranges_.push_back({.role_end = role_end, .content_end = text_.size()});
  return "";
}

std::string ParquetMessages::add_text(const ColumnReader& column, const Entry& entry) {
  if (entry.definition < column.node().max_definition)
    return str("the field '", column.name(), "' is null, expected a string");
  const std::string_view text = entry.value;
  if (std::ssize(text) > settings_.max_record_bytes - std::ssize(text_))
    return str("longer than ", settings_.max_record_bytes, " bytes");
  if (!simdjson::validate_utf8(text.data(), text.size()))
    return str("the field '", column.name(), "' is not valid UTF-8");
  text_ += text;
  return "";
}

}  // namespace meshwright::data
