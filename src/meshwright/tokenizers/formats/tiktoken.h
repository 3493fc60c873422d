// SPDX-License-Identifier: Apache-2.0
// Vocabularies of the tiktoken library: lines of a token in base64 and its rank, which is its id.
// The pattern that splits text and the special tokens are not in the file: they go by the name of
// the vocabulary, or by the number of its ranks, which differs between the published ones.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::tokenizers {

/// True if the content starts like a tiktoken file.
bool is_tiktoken(std::string_view content);

/// Returns the tokenizer of a file's content; `file` is its name for messages. `name` is a
/// vocabulary: gpt2, r50k_base, p50k_base, p50k_edit, cl100k_base, o200k_base, o200k_harmony,
/// llama3, qwen; if it is empty, the first of these with the file's number of ranks. Ids are those
/// of tiktoken 0.14. Text that is not valid UTF-8 is encoded with U+FFFD.
///
/// Throws data_loss if the content is damaged, not_found if the vocabulary is not known,
/// invalid_argument if the file does not have the ranks of the vocabulary of that name.
std::unique_ptr<Tokenizer> read_tiktoken(std::string_view content,
                                         const std::string& file,
                                         std::string_view name = "");

}  // namespace meshwright::tokenizers
