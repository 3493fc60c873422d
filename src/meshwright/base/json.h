// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace meshwright {

/// Builds JSON text incrementally:
///   JsonWriter json;
///   json.begin_object().field("steps", 3).key("loss").begin_array().value(0.5).end_array();
///   json.end_object();
/// Writes non-finite numbers as null, since JSON cannot represent them.
class JsonWriter {
 public:
  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(double number);
  template <std::integral Integer>
  JsonWriter& value(Integer number) {
    if constexpr (std::same_as<Integer, bool>) return raw(number ? "true" : "false");
    return raw(std::to_string(number));
  }
  JsonWriter& null() { return raw("null"); }

  template <typename Value>
  JsonWriter& field(std::string_view name, const Value& content) {
    return key(name).value(content);
  }

  const std::string& str() const { return text_; }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  JsonWriter& raw(std::string_view token);
  void separate();

  std::string text_;
  bool needs_comma_ = false;
};

}  // namespace meshwright
