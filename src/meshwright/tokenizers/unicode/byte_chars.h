// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace meshwright::tokenizers {

/// Returns the character, as UTF-8, that stands for a byte in vocabularies of byte-level BPE: the
/// character of the same number if it is printable in Latin-1, otherwise one from U+0100.
std::string_view byte_char(unsigned char byte);

/// Appends byte_char() of each byte.
void append_byte_chars(std::string_view bytes, std::string& out);

/// Returns the bytes that the characters stand for; nullopt if one stands for no byte. `text` must
/// be valid UTF-8.
std::optional<std::string> bytes_of_chars(std::string_view text);

}  // namespace meshwright::tokenizers
