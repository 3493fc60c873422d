// SPDX-License-Identifier: Apache-2.0
// Targets for readers of tokenizers/.
#pragma once

#include <string_view>

namespace meshwright::fuzz {

void read_tokenizer_json(std::string_view bytes);
void read_sentencepiece(std::string_view bytes);
void read_tiktoken(std::string_view bytes);

}  // namespace meshwright::fuzz
