// SPDX-License-Identifier: Apache-2.0
// Internal to encoding/: the tokens of a laid out conversation.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/data/encoding/chat_parts.h"
#include "meshwright/data/encoding/record_encoder.h"

namespace meshwright::data {

/// The markers of a template in a tokenizer.
class ChatTokens {
 public:
  /// Throws invalid_argument if the tokenizer lacks a marker. Keeps references to both arguments.
  ChatTokens(const tokenizers::Tokenizer& tokenizer, const ChatFormat& format);

  /// Appends the tokens. Those of responses from number `first_response` on have weight 1.
  void encode(const std::vector<ChatPart>& parts, int first_response, EncodedRecord& out) const;
  /// Returns the token of a marker; nullopt for a BOS that the tokenizer does not have.
  std::optional<tokenizers::Id> marker(const ChatPart& part) const;

 private:
  void encode_run(std::string_view run, std::size_t prompt_size, EncodedRecord& out) const;

  const tokenizers::Tokenizer& tokenizer_;
  std::map<std::string, tokenizers::Id, std::less<>> special_;
};

}  // namespace meshwright::data
