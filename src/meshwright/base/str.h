// SPDX-License-Identifier: Apache-2.0
// String building: str("axis ", name, " is ", 512) and join(list, ", ").
#pragma once

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

namespace meshwright {

inline void append_part(std::string& out, std::string_view part) {
  out += part;
}
inline void append_part(std::string& out, const char* part) {
  out += part;
}
inline void append_part(std::string& out, char part) {
  out += part;
}
inline void append_part(std::string& out, bool part) {
  out += part ? "true" : "false";
}

/// Appends a number in the shortest form that parses back to the same value.
template <typename Number>
requires(std::integral<Number> || std::floating_point<Number>) void append_part(std::string& out,
                                                                                Number part) {
  char digits[64];
  auto [end, error] = std::to_chars(digits, digits + sizeof(digits), part);
  if (error == std::errc()) out.append(digits, end);
}

/// Appends a value whose type has a free function to_string, found by argument-dependent lookup.
template <typename Printable>
requires requires(const Printable& p) {
  { to_string(p) } -> std::convertible_to<std::string>;
}
void append_part(std::string& out, const Printable& part) {
  out += to_string(part);
}

/// Appends a list as "[8,128,512]".
template <typename List>
requires requires(const List& list) {
  list.begin();
  list.size();
} &&(!std::convertible_to<const List&, std::string_view>)void append_part(std::string& out,
                                                                          const List& list) {
  out += '[';
  bool first = true;
  for (const auto& element : list) {
    if (!first) out += ',';
    first = false;
    append_part(out, element);
  }
  out += ']';
}

/// Returns the concatenation of all parts.
template <typename... Parts>
std::string str(const Parts&... parts) {
  std::string out;
  (append_part(out, parts), ...);
  return out;
}

/// Returns the elements of `range` separated by `separator`.
template <typename Range>
std::string join(const Range& range, std::string_view separator) {
  std::string out;
  bool first = true;
  for (const auto& element : range) {
    if (!first) out += separator;
    first = false;
    append_part(out, element);
  }
  return out;
}

}  // namespace meshwright
