// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace meshwright::tokenizers {

/// Appends the lower case of a character as UTF-8, by Unicode 17. Ignores context: a capital sigma
/// becomes a small one even at the end of a word.
void append_lowercase(std::string& text, char32_t code);

}  // namespace meshwright::tokenizers
