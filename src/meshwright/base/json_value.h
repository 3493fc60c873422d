// SPDX-License-Identifier: Apache-2.0
// Reading untrusted JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace meshwright {

/// A parsed JSON value. Numbers without a fraction or exponent are stored as integers if they fit.
/// Object members keep the order they have in the text.
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
  /// Returns the integer value; nullopt if this is not an integer below 2^63.
  std::optional<std::int64_t> find_integer() const;
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }

  // Accessors. All throw data_loss if the value has a different kind: "is a string, expected an
  // integer".
  bool as_bool() const;
  std::int64_t as_integer() const;
  double as_number() const;  // also accepts integers
  const std::string& as_text() const;
  const Array& as_array() const;
  Array& as_array();
  const Object& as_object() const;
  Object& as_object();

  /// Returns the member `name` of an object, or nullptr if there is none. Searches linearly:
  /// iterate over as_object() if there may be many members.
  const JsonValue* find(std::string_view name) const;
  /// Like find(), but throws data_loss if this is not an object or has no such member: "has no
  /// 'shape'".
  const JsonValue& at(std::string_view name) const;

  bool operator==(const JsonValue&) const = default;

 private:
  [[noreturn]] void fail_kind(std::string_view wanted) const;

  std::variant<Null, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object> value_;
};

/// Parses JSON in linear time. Throws data_loss, with the position, for text that is not valid JSON
/// by RFC 8259 or not valid UTF-8, a duplicate member name, nesting deeper than 64, values that
/// take more than `max_bytes` of memory, or a number too large for a double. `what` names the text
/// in messages.
JsonValue parse_json(std::string_view text,
                     std::string_view what,
                     std::size_t max_bytes = std::size_t{64} << 20);

/// Returns compact JSON text, with members in their stored order.
std::string to_string(const JsonValue& value);

}  // namespace meshwright
