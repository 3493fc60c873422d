// SPDX-License-Identifier: Apache-2.0
// The decoders of tokenizer.json. Internal to formats/.
#pragma once

#include <optional>
#include <string>
#include <string_view>
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

/// Returns the bytes of a token that stands for bytes, whether or not they are valid UTF-8, in this
/// step; otherwise nullopt.
std::optional<std::string> find_bytes(const DecoderStep& step, std::string_view token);

/// True if the steps replace the token by a byte of a text, together with adjacent ones.
bool is_byte_token(const std::vector<DecoderStep>& steps, std::string_view token);

/// True if the end of a text may have another text when more tokens follow, except for byte tokens
/// and parts of characters.
bool changes_end(const std::vector<DecoderStep>& steps);

/// Applies a step to the tokens of a text, which are valid UTF-8.
void apply(const DecoderStep& step, std::vector<std::string>& tokens);

}  // namespace meshwright::tokenizers
