// SPDX-License-Identifier: Apache-2.0
// Converts between text and a model's tokens.
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
  /// Returns the tokens of a prompt. Throws invalid_argument for text that has no encoding.
  std::function<std::vector<std::int32_t>(const std::string& text)> encode;
  /// Returns the text for the tokens that follow a prompt, excluding the end token.
  std::function<std::string(std::span<const std::int32_t> tokens)> decode;
  std::optional<std::int32_t> end_token = {};
  /// Maximum number of tokens in a continuation. If absent, it is unknown.
  std::optional<std::int64_t> max_tokens = {};
};

/// Returns a codec that writes tokens as numbers separated by spaces, for data of unknown meaning.
TextCodec token_numbers();

}  // namespace meshwright::data
