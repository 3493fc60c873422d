// SPDX-License-Identifier: Apache-2.0
// How what people write becomes the tokens of a model, and its tokens become text.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace meshwright::data {

struct TextCodec {
  /// For messages and help: "token numbers".
  std::string name;
  /// The tokens of a prompt. Throws invalid_argument for what cannot be written in them.
  std::function<std::vector<std::int32_t>(const std::string& text)> encode;
  /// The text of the tokens that follow a prompt, the end token not among them.
  std::function<std::string(std::span<const std::int32_t> tokens)> decode;
  std::optional<std::int32_t> end_token = {};
  /// Continuations have no more tokens; absent: no limit is known.
  std::optional<std::int64_t> max_tokens = {};
};

/// Tokens as numbers with blanks between them, where nothing is known of their meaning.
TextCodec token_numbers();

}  // namespace meshwright::data
