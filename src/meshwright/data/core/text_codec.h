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

/// The number of bytes of text that each token stands for, by id. 0 for special tokens.
struct TokenSizes {
  std::vector<std::int32_t> inside;    // after other text
  std::vector<std::int32_t> at_start;  // at the start of a text
};

struct ChatMessage {
  std::string role;  // system, user or assistant
  std::string content;
};

struct TextCodec {
  /// For messages and help: "token numbers".
  std::string name;
  /// Returns the tokens of a prompt. Throws invalid_argument for text that has no encoding.
  std::function<std::vector<std::int32_t>(const std::string& text)> encode;
  /// Returns the tokens of a conversation up to its next response. Throws invalid_argument if the
  /// chat template does not allow these messages. Absent without a template.
  std::function<std::vector<std::int32_t>(const std::vector<ChatMessage>& messages)> encode_chat =
      {};
  /// Returns the text for the tokens that follow a prompt, excluding an end token.
  std::function<std::string(std::span<const std::int32_t> tokens)> decode;
  /// Returns the beginning of that text which no further tokens change, for tokens to which more
  /// may be added. Absent if the text is known only when all tokens are.
  std::function<std::string(std::span<const std::int32_t> tokens)> decode_settled = {};
  /// Tokens that end a continuation.
  std::vector<std::int32_t> end_tokens = {};
  /// Returns the token of this name, such as "<|im_end|>"; nullopt if there is none. Absent if
  /// tokens have no names.
  std::function<std::optional<std::int32_t>(const std::string& name)> find_token = {};
  /// Maximum number of tokens in a continuation. If absent, it is unknown.
  std::optional<std::int64_t> max_tokens = {};
  /// Returns the sizes of all tokens. May take a second. Absent if the data is not text.
  std::function<TokenSizes()> token_sizes = {};
};

/// Returns a codec that writes tokens as numbers separated by spaces, for data of unknown meaning.
TextCodec token_numbers();

}  // namespace meshwright::data
