// SPDX-License-Identifier: Apache-2.0
// Prompts of `meshwright generate` and what ends their continuations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/data/core/text_codec.h"
#include "meshwright/train/offline/generator.h"

namespace meshwright::cli {

struct PromptOptions {
  bool is_chat = false;  // prompts are JSON lists of messages
  std::optional<std::string> system = {};
};

/// Returns the tokens of a prompt. Throws invalid_argument if it has no encoding, or if the options
/// need a chat template that the codec lacks.
std::vector<std::int32_t> encode_prompt(const data::TextCodec& codec,
                                        const PromptOptions& options,
                                        const std::string& prompt);

/// Returns the codec's end tokens and those that are named in `stops`. Throws invalid_argument if
/// an entry of `stops` is empty, or if the data is not text.
std::vector<std::int32_t> end_tokens(const data::TextCodec& codec,
                                     const std::vector<std::string>& stops);

/// Returns the index of the first occurrence of any of `stops`; npos if there is none.
std::size_t first_stop(std::string_view text, const std::vector<std::string>& stops);

/// Returns the text of a continuation up to the first occurrence of any of `stops`, and removes the
/// tokens from there on.
std::string text_before(const data::TextCodec& codec,
                        const std::vector<std::string>& stops,
                        train::GeneratedText& made);

}  // namespace meshwright::cli
