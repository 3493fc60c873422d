// SPDX-License-Identifier: Apache-2.0
// Reading JSON that somebody else wrote.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace meshwright {

/// A parsed value. Numbers written without a fraction or exponent that fit are integers; members of
/// objects stay in the order of the text.
class JsonValue {
 public:
  struct Null {
    bool operator==(const Null&) const = default;
  };
  using Array = std::vector<JsonValue>;
  using Member = std::pair<std::string, JsonValue>;
  using Object = std::vector<Member>;

  JsonValue() = default;
  explicit JsonValue(bool value) : value_(value) {}
  explicit JsonValue(std::int64_t value) : value_(value) {}
  explicit JsonValue(std::uint64_t value) : value_(value) {}
  explicit JsonValue(double value) : value_(value) {}
  explicit JsonValue(std::string value) : value_(std::move(value)) {}
  explicit JsonValue(Array value) : value_(std::move(value)) {}
  explicit JsonValue(Object value) : value_(std::move(value)) {}

  bool is_null() const { return std::holds_alternative<Null>(value_); }
  bool is_text() const { return std::holds_alternative<std::string>(value_); }
  bool is_number() const;
  /// The integer that this is, if it is one.
  std::optional<std::int64_t> find_integer() const;
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }

  // The content. All throw data_loss if this is something else: "is a text and no integer".
  bool as_bool() const;
  std::int64_t as_integer() const;
  double as_number() const;  // integers too
  const std::string& as_text() const;
  const Array& as_array() const;
  Array& as_array();
  const Object& as_object() const;
  Object& as_object();

  /// The member of an object; nullptr if it has none of this name. Looks at one after the other: go
  /// through as_object() where there may be many.
  const JsonValue* find(std::string_view name) const;
  /// Throws data_loss if there is none: "has no 'shape'".
  const JsonValue& at(std::string_view name) const;

  bool operator==(const JsonValue&) const = default;

 private:
  [[noreturn]] void fail_kind(std::string_view wanted) const;

  std::variant<Null, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object> value_;
};

/// Throws data_loss, with the place, for what is no JSON by RFC 8259, a name twice in one object,
/// values nested deeper than 64, values that take more than 64 MiB of memory, a number too large
/// for a double, or text that is no UTF-8. `what` names the text in messages. Takes time in
/// proportion to the text.
JsonValue parse_json(std::string_view text, std::string_view what);

/// The text of a value: compact, in the order it has.
std::string to_string(const JsonValue& value);

}  // namespace meshwright
