// SPDX-License-Identifier: Apache-2.0
// Tokens in the JSON output of commands.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/base/json.h"
#include "meshwright/tokenizers/display/token_text.h"

namespace meshwright::cli {

/// Returns the text with U+FFFD for invalid UTF-8, which JSON cannot hold.
std::string valid_text(std::string_view text);

/// Writes "tokens": [1, 2, ...].
void write_tokens(JsonWriter& json, std::span<const tokenizers::Id> ids);

/// Writes "pieces": an object for each group of tokens, with its text, the number of its tokens,
/// and true if the text only names a special token.
void write_pieces(JsonWriter& json, const std::vector<tokenizers::TokenText>& pieces);

}  // namespace meshwright::cli
