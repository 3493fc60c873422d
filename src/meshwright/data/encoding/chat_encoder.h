// SPDX-License-Identifier: Apache-2.0
// Instruction tuning on conversations.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "meshwright/data/encoding/chat_template.h"
#include "meshwright/data/encoding/record_encoder.h"

namespace meshwright::data {

struct ChatOptions {
  ChatTemplate chat_template = ChatTemplate::chatml;
  ChatLoss loss = ChatLoss::responses;
};

/// Encodes the messages of records, whose roles are system, user and assistant. The text is that of
/// the original template. Markers of the template are single tokens. Special tokens spelled out in
/// messages are encoded as plain text. The tokens before a response are those of chat_prompt(), so
/// no token contains text of both.
///
/// BOS is added where the template has it: once at the start, in llama2 before each user message,
/// and nowhere in chatml, qwen2_5, phi3 and zephyr. A template's BOS is left out if the tokenizer
/// has none.
///
/// Throws invalid_argument if the tokenizer lacks a marker. encode() throws for messages that the
/// template does not allow, and for conversations without a response.
RecordEncoderPtr chat_encoder(std::shared_ptr<const tokenizers::Tokenizer> tokenizer,
                              const ChatOptions& options);

/// Returns the tokens of a conversation up to the start of the assistant's next response.
std::vector<tokenizers::Id> chat_prompt(const tokenizers::Tokenizer& tokenizer,
                                        ChatTemplate chat_template,
                                        std::span<const Message> messages);

/// Returns the tokens that end a response: the template's end of turn and the tokenizer's EOS.
std::vector<tokenizers::Id> chat_stop_tokens(const tokenizers::Tokenizer& tokenizer,
                                             ChatTemplate chat_template);

}  // namespace meshwright::data
