// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace meshwright::tokenizers {

struct CodePoint {
  char32_t code;
  int length;  // in bytes
};

/// Returns the code point at `at`, which must be the start of one in valid UTF-8.
inline CodePoint decode_valid(const char* at) {
  const auto byte = [at](int i) {
    return static_cast<char32_t>(static_cast<unsigned char>(at[i]));
  };
  const char32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const char32_t second = byte(1) & 0x3f;
  if (first < 0xe0) return {(first & 0x1f) << 6 | second, 2};
  const char32_t third = byte(2) & 0x3f;
  if (first < 0xf0) return {(first & 0x0f) << 12 | second << 6 | third, 3};
  return {(first & 0x07) << 18 | second << 12 | third << 6 | (byte(3) & 0x3f), 4};
}

inline bool is_ascii(char byte) {
  return static_cast<unsigned char>(byte) < 0x80;
}

/// True if the byte continues a code point.
inline bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

/// Appends the code point, which must be valid, as UTF-8.
void append_utf8(std::string& text, char32_t code);

/// Returns the size of the longest prefix that is valid UTF-8.
std::size_t utf8_prefix_size(std::string_view text);

/// Returns the text with U+FFFD for each maximal part of invalid UTF-8, as Python's
/// bytes.decode("utf-8", "replace"). Returns `text` itself if it is valid, otherwise a view of
/// `storage`.
std::string_view to_valid_utf8(std::string_view text, std::string& storage);

}  // namespace meshwright::tokenizers
