// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::tokenizers {

/// Returns the tokenizer of a SentencePiece .model file: unigram, BPE, word or character. Ids and
/// decoded text are those of the sentencepiece library.
///
/// Control pieces that are spelled out in the text are always plain text, and user-defined pieces
/// always tokens, as in the library, whatever SpecialText says. The file has no template, so there
/// is no prefix or suffix: special_tokens() has the BOS and EOS.
///
/// Throws data_loss if the file is malformed and unimplemented for what is not supported. `name`
/// is the file's, for messages.
std::unique_ptr<Tokenizer> sentencepiece_tokenizer(std::string bytes, std::string_view name);

}  // namespace meshwright::tokenizers
