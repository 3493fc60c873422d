// SPDX-License-Identifier: Apache-2.0
// Tokens as text, for display.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::tokenizers {

/// Tokens [begin, end) of a sequence, and their text.
struct TokenText {
  std::size_t begin = 0, end = 0;
  std::string text = {};
  bool is_special = false;  // `text` names a token that adds nothing to a text
  bool operator==(const TokenText&) const = default;
};

/// Splits a sequence into the shortest groups of tokens whose texts are whole characters. A group
/// is one token, unless a character is spread over several. Bytes that belong to no character stay
/// unchanged. A token that adds nothing to a text is named by its piece, and an id that the
/// vocabulary lacks by its number: "<50300>". `is_start` says that a text starts with the sequence,
/// so that a space which only encoding puts there is left out.
std::vector<TokenText> token_texts(const Tokenizer& tokenizer,
                                   std::span<const Id> ids,
                                   bool is_start = true);

/// Makes any bytes safe to print on a terminal: writes control characters, except those in `kept`,
/// and bytes that are not valid UTF-8 as "\x1b", and characters that change the direction of text
/// as "\u202e".
std::string escaped(std::string_view text, std::string_view kept = "");

}  // namespace meshwright::tokenizers
