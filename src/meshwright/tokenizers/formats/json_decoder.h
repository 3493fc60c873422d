// SPDX-License-Identifier: Apache-2.0
// The decoders of tokenizer.json. Internal to formats/.
#pragma once

#include <string>
#include <vector>

#include "meshwright/tokenizers/normalize/normalizer.h"

namespace meshwright::tokenizers {

struct DecoderStep {
  enum class Kind {
    byte_level,     // characters that stand for bytes become these
    byte_fallback,  // tokens like "<0x0A>" become bytes
    fuse,           // joins the tokens
    metaspace,      // `text` becomes a space; before the first token nothing if `flag`
    replace,        // by `replacement`
    strip,          // removes up to `start` and `stop` characters `text`
    suffix,         // `text` becomes a space, and nothing in the last token
    wordpiece,      // tokens are joined by spaces, except after the prefix `text`; `flag`: cleaned
  };
  Kind kind = Kind::fuse;
  std::string text = {};
  bool flag = false;
  std::size_t start = 0, stop = 0;
  NormalizerPtr replacement = nullptr;
};

/// Applies a step to the tokens of a text, which are valid UTF-8.
void apply(const DecoderStep& step, std::vector<std::string>& tokens);

}  // namespace meshwright::tokenizers
