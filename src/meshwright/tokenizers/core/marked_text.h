// SPDX-License-Identifier: Apache-2.0
// Marked text: UTF-8 in which the byte 0xFF stands for U+2581, the character that SentencePiece
// writes for a space.
//
// 0xFF never occurs in UTF-8, so the two forms convert without loss. Marked text is shorter, its
// words begin with a byte that nothing else begins or ends with, and tries over it are flatter.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace meshwright::tokenizers {

inline constexpr char kMark = '\xff';
inline constexpr std::string_view kMarkUtf8 = "\xe2\x96\x81";

/// Returns the number of bytes of the character of valid marked text that starts with `lead`.
inline std::size_t char_length(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  if (byte < 0xc0 || byte == 0xff) return 1;
  return byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

/// Returns the number of bytes of the first character, or 0 if they are not valid UTF-8. `text`
/// must not be empty.
std::size_t valid_utf8_prefix(std::string_view text);

bool is_valid_utf8(std::string_view text);

/// Returns valid UTF-8 as marked text.
std::string marked(std::string_view utf8);
/// Appends marked text with `space` in place of each mark.
void append_unmarked(std::string_view marked, std::string_view space, std::string& out);

}  // namespace meshwright::tokenizers
