// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/json_value.h"

#include <algorithm>
#include <array>
#include <limits>

#include <nlohmann/json.hpp>

#include "meshwright/base/check.h"
#include "meshwright/base/json.h"

namespace meshwright {
namespace {

constexpr std::size_t kMaxDepth = 64;

/// Builds the value from the parser's events. Returns false to stop the parser.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(std::string_view what, std::size_t max_bytes) : what_(what), max_bytes_(max_bytes) {}

  JsonValue take() { return std::move(root_); }

  bool null() override { return add(JsonValue()); }
  bool boolean(bool value) override { return add(JsonValue(value)); }
  bool number_integer(std::int64_t value) override { return add(JsonValue(value)); }
  bool number_unsigned(std::uint64_t value) override {
    if (value > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
      return add(JsonValue(value));
    return add(JsonValue(static_cast<std::int64_t>(value)));
  }
  bool number_float(double value, const std::string&) override { return add(JsonValue(value)); }
  bool string(std::string& value) override {
    count(value.size());
    return add(JsonValue(std::move(value)));
  }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return open(JsonValue(JsonValue::Object())); }
  bool end_object() override {
    check_names(open_.back().as_object());
    return close();
  }
  bool start_array(std::size_t) override { return open(JsonValue(JsonValue::Array())); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    count(name.size());
    keys_.back() = std::move(name);
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& e) override {
    std::string_view text = e.what();  // "[json.exception...] parse error at line 1, column 2: ..."
    text.remove_prefix(std::min(text.find("] ") + 2, text.size()));
    fail(ErrorCode::data_loss, what_, ": invalid JSON: ", text);
  }

 private:
  // A few characters of text can encode a value of many bytes.
  void count(std::size_t num_bytes) {
    num_bytes_ += num_bytes;
    if (num_bytes_ > max_bytes_) {
      fail(ErrorCode::data_loss, what_, ": needs more than ", max_bytes_, " bytes of memory");
    }
  }
  // Sorts the names, since an object may have a million members.
  void check_names(const JsonValue::Object& members) const {
    std::vector<std::string_view> names;
    names.reserve(members.size());
    for (const auto& [name, value] : members)
      names.push_back(name);
    std::ranges::sort(names);
    const auto twice = std::ranges::adjacent_find(names);
    if (twice == names.end()) return;
    fail(ErrorCode::data_loss, what_, ": '", *twice, "' appears twice in one object");
  }

  bool open(JsonValue value) {
    if (open_.size() == kMaxDepth) {
      fail(ErrorCode::data_loss, what_, ": nested deeper than ", kMaxDepth);
    }
    open_.push_back(std::move(value));
    keys_.emplace_back();
    return true;
  }
  bool close() {
    JsonValue value = std::move(open_.back());
    open_.pop_back();
    keys_.pop_back();
    return add(std::move(value));
  }
  bool add(JsonValue value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().is_array()) {
      count(sizeof(JsonValue));
      open_.back().as_array().push_back(std::move(value));
    } else {
      count(sizeof(JsonValue::Member));
      open_.back().as_object().emplace_back(std::move(keys_.back()), std::move(value));
    }
    return true;
  }

  std::string_view what_;
  std::size_t max_bytes_;
  std::size_t num_bytes_ = 0;  // of all values
  JsonValue root_;
  std::vector<JsonValue> open_;    // the arrays and objects being parsed, outermost first
  std::vector<std::string> keys_;  // the current member of each
};

}  // namespace

bool JsonValue::is_number() const {
  return std::holds_alternative<std::int64_t>(value_) ||
         std::holds_alternative<std::uint64_t>(value_) || std::holds_alternative<double>(value_);
}

void JsonValue::fail_kind(std::string_view wanted) const {
  static constexpr std::array<std::string_view, 8> kKinds = {
      "null",     "a boolean", "an integer", "an integer over 2^63",
      "a number", "a string",  "an array",   "an object"};
  fail(ErrorCode::data_loss, "is ", kKinds.at(value_.index()), ", expected ", wanted);
}

bool JsonValue::as_bool() const {
  if (const auto* value = std::get_if<bool>(&value_)) return *value;
  fail_kind("a boolean");
}

std::optional<std::int64_t> JsonValue::find_integer() const {
  if (const auto* value = std::get_if<std::int64_t>(&value_)) return *value;
  return std::nullopt;
}

std::int64_t JsonValue::as_integer() const {
  if (const std::optional<std::int64_t> value = find_integer()) return *value;
  fail_kind("an integer below 2^63");
}

double JsonValue::as_number() const {
  if (const auto* value = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*value);
  if (const auto* value = std::get_if<std::uint64_t>(&value_)) return static_cast<double>(*value);
  if (const auto* value = std::get_if<double>(&value_)) return *value;
  fail_kind("a number");
}

const std::string& JsonValue::as_text() const {
  if (const auto* value = std::get_if<std::string>(&value_)) return *value;
  fail_kind("a string");
}

const JsonValue::Array& JsonValue::as_array() const {
  if (const auto* value = std::get_if<Array>(&value_)) return *value;
  fail_kind("an array");
}
JsonValue::Array& JsonValue::as_array() {
  return const_cast<Array&>(std::as_const(*this).as_array());
}

const JsonValue::Object& JsonValue::as_object() const {
  if (const auto* value = std::get_if<Object>(&value_)) return *value;
  fail_kind("an object");
}
JsonValue::Object& JsonValue::as_object() {
  return const_cast<Object&>(std::as_const(*this).as_object());
}

const JsonValue* JsonValue::find(std::string_view name) const {
  const auto* members = std::get_if<Object>(&value_);
  if (members == nullptr) return nullptr;
  auto found = std::ranges::find(*members, name, &Member::first);
  return found == members->end() ? nullptr : &found->second;
}

const JsonValue& JsonValue::at(std::string_view name) const {
  if (!is_object()) fail_kind("an object");
  if (const JsonValue* found = find(name)) return *found;
  fail(ErrorCode::data_loss, "has no '", name, "'");
}

JsonValue parse_json(std::string_view text, std::string_view what, std::size_t max_bytes) {
  Builder builder(what, max_bytes);
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

namespace {

// Writes integers as integers, even if a double cannot represent them.
void write_number(JsonWriter& json, const JsonValue& value) {
  if (const std::optional<std::int64_t> whole = value.find_integer()) {
    json.value(*whole);
  } else {
    json.value(value.as_number());
  }
}

void write(JsonWriter& json, const JsonValue& value) {
  if (value.is_null()) {
    json.null();
  } else if (value.is_text()) {
    json.value(value.as_text());
  } else if (value.is_number()) {
    write_number(json, value);
  } else if (value.is_array()) {
    json.begin_array();
    for (const JsonValue& element : value.as_array())
      write(json, element);
    json.end_array();
  } else if (value.is_object()) {
    json.begin_object();
    for (const auto& [name, member] : value.as_object()) {
      json.key(name);
      write(json, member);
    }
    json.end_object();
  } else {
    json.value(value.as_bool());
  }
}

}  // namespace

std::string to_string(const JsonValue& value) {
  JsonWriter json;
  write(json, value);
  return json.str();
}

}  // namespace meshwright
