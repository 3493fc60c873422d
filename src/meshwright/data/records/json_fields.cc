// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/records/json_fields.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <simdjson.h>

#include "meshwright/base/nearest.h"
#include "meshwright/base/printable.h"
#include "meshwright/base/str.h"

namespace meshwright::data {
namespace {

namespace dom = simdjson::dom;

// For messages: the nearest name is searched only among these.
constexpr std::size_t kMaxNamesInMessage = 32;
constexpr std::size_t kMaxNameBytes = 64;

std::string_view kind_of(dom::element value) {
  switch (value.type()) {
    case dom::element_type::ARRAY:
      return "a list";
    case dom::element_type::OBJECT:
      return "an object";
    case dom::element_type::STRING:
      return "a string";
    case dom::element_type::BOOL:
      return "true or false";
    case dom::element_type::NULL_VALUE:
      return "null";
    default:
      return "a number";
  }
}

std::string_view meaning_of(simdjson::error_code code) {
  switch (code) {
    case simdjson::UTF8_ERROR:
      return "not valid UTF-8";
    case simdjson::STRING_ERROR:
      return "a string has an invalid escape or a lone surrogate";
    case simdjson::NUMBER_ERROR:
      return "a number is invalid or out of range";
    case simdjson::DEPTH_ERROR:
      return "nested too deeply";
    case simdjson::UNCLOSED_STRING:
      return "a string does not end";
    case simdjson::UNESCAPED_CHARS:
      return "a string has an unescaped control character";
    case simdjson::CAPACITY:
    case simdjson::MEMALLOC:
      return "too long";
    default:
      return "not valid JSON";
  }
}

struct Lookup {
  std::optional<dom::element> value;
  std::string problem;
};

std::string missing(dom::object object, std::string_view name, std::string_view path) {
  std::vector<std::string> names;
  for (dom::key_value_pair member : object) {
    if (names.size() == kMaxNamesInMessage) break;
    if (member.key.size() <= kMaxNameBytes) names.push_back(printable_name(member.key));
  }
  return str("has no field '", path, "'", did_you_mean(name, names));
}

// Searches all members to detect a repeated name, which readers of JSON resolve differently.
Lookup find_member(dom::object object, std::string_view name, std::string_view path) {
  Lookup out;
  for (dom::key_value_pair member : object) {
    if (member.key != name) continue;
    if (out.value) return {.value = {}, .problem = str("has the field '", path, "' twice")};
    out.value = member.value;
  }
  return out;
}

std::optional<std::string> scalar_text(dom::element value) {
  switch (value.type()) {
    case dom::element_type::STRING:
      return std::string(std::string_view(value));
    case dom::element_type::ARRAY:
    case dom::element_type::OBJECT:
      return std::nullopt;
    default:
      return simdjson::minify(value);
  }
}

JsonPath parse_path(const std::string& name) {
  JsonPath out{.name = name, .members = {}};
  std::size_t begin = 0;
  while (begin <= name.size()) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    out.members.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

Lookup find(dom::object object, const JsonPath& path) {
  Lookup out;
  for (std::size_t i = 0; i < path.members.size(); ++i) {
    if (i > 0 && out.value->get(object) != simdjson::SUCCESS) {
      return {.value = {},
              .problem = str("has no field '", path.name, "': '", path.members[i - 1], "' is ",
                             kind_of(*out.value), ", expected an object")};
    }
    out = find_member(object, path.members[i], path.name);
    if (!out.problem.empty()) return out;
    if (!out.value) return {.value = {}, .problem = missing(object, path.members[i], path.name)};
  }
  return out;
}

std::string find_string(dom::object object, const JsonPath& path, std::string_view& out) {
  const Lookup found = find(object, path);
  if (!found.value) return found.problem;
  if (found.value->get(out) == simdjson::SUCCESS) return "";
  return str("the field '", path.name, "' is ", kind_of(*found.value), ", expected a string");
}

}  // namespace

struct JsonFields::Parser {
  dom::parser parser;
  dom::object root;
};

JsonFields::JsonFields(const JsonlFormat& format, const std::vector<FieldEquals>& equal)
    : has_messages_(!format.messages.empty()),
      messages_path_(parse_path(format.messages)),
      role_path_(parse_path(format.role_field)),
      content_path_(parse_path(format.content_field)),
      parser_(std::make_unique<Parser>()) {
  for (const std::string& field : format.fields)
    field_paths_.push_back(parse_path(field));
  for (const FieldEquals& wanted : equal) {
    equal_paths_.push_back(parse_path(wanted.path));
    equal_values_.push_back(wanted.value);
  }
  fields_.resize(field_paths_.size());
}

JsonFields::~JsonFields() = default;

std::string JsonFields::parse(std::string_view line) {
  dom::element root;
  const simdjson::error_code code =
      parser_->parser.parse(line.data(), line.size(), false).get(root);
  if (code != simdjson::SUCCESS) return std::string(meaning_of(code));
  if (root.get(parser_->root) != simdjson::SUCCESS)
    return str("is ", kind_of(root), ", expected an object");
  for (std::size_t i = 0; i < field_paths_.size(); ++i) {
    std::string problem = find_string(parser_->root, field_paths_[i], fields_[i]);
    if (!problem.empty()) return problem;
  }
  if (std::string problem = parse_messages(); !problem.empty()) return problem;
  is_equal_ = true;
  for (std::size_t i = 0; i < equal_paths_.size() && is_equal_; ++i) {
    const Lookup found = find(parser_->root, equal_paths_[i]);
    is_equal_ = found.value && scalar_text(*found.value) == equal_values_[i];
  }
  return "";
}

std::string JsonFields::parse_messages() {
  messages_.clear();
  if (!has_messages_) return "";
  const Lookup found = find(parser_->root, messages_path_);
  if (!found.value) return found.problem;
  dom::array list;
  if (found.value->get(list) != simdjson::SUCCESS) {
    return str("the field '", messages_path_.name, "' is ", kind_of(*found.value),
               ", expected a list");
  }
  for (dom::element element : list) {
    dom::object object;
    Message message;
    std::string problem;
    if (element.get(object) != simdjson::SUCCESS)
      problem = str("is ", kind_of(element), ", expected an object");
    if (problem.empty()) problem = find_string(object, role_path_, message.role);
    if (problem.empty()) problem = find_string(object, content_path_, message.content);
    if (!problem.empty())
      return str("message ", messages_.size(), " of '", messages_path_.name, "': ", problem);
    messages_.push_back(message);
  }
  return "";
}

}  // namespace meshwright::data
