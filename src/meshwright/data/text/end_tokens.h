// SPDX-License-Identifier: Apache-2.0
// The tokens that end a model's texts, beside its tokenizer's own EOS.
#pragma once

#include <string>
#include <vector>

#include "meshwright/io/file_system.h"
#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::data {

/// The file that names them, in the folder of the tokenizer and of a run.
inline constexpr char kGenerationConfig[] = "generation_config.json";

/// Returns the tokens that the files in a tokenizer's folder name: the eos_token_id of
/// generation_config.json, one or a list, and the special tokens that end a turn in the chat
/// template of chat_template.jinja or tokenizer_config.json. Throws data_loss, naming the file, for
/// a malformed one.
std::vector<tokenizers::Id> end_tokens_in(const io::FileSystem& folder,
                                          const tokenizers::Tokenizer& tokenizer);

/// Appends a token unless it is there already.
void add_end_token(tokenizers::Id token, std::vector<tokenizers::Id>& tokens);

/// Returns the content of a generation_config.json that names these tokens.
std::string generation_config(const std::vector<tokenizers::Id>& end_tokens);

}  // namespace meshwright::data
