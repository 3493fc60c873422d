// SPDX-License-Identifier: Apache-2.0
// Codecs that convert between text and the tokens of a tokenizer.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "meshwright/data/core/text_codec.h"
#include "meshwright/data/encoding/chat_template.h"
#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::data {

/// Returns a codec whose prompts are the tokens `before` and those of a text.
TextCodec plain_codec(std::shared_ptr<const tokenizers::Tokenizer> tokenizer,
                      std::vector<std::int32_t> before);

/// Returns a codec whose prompts are messages of a user.
TextCodec chat_codec(const std::shared_ptr<const tokenizers::Tokenizer>& tokenizer,
                     ChatTemplate chat_template);

}  // namespace meshwright::data
