// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/encoding/chat_encoder.h"

#include <algorithm>

#include "meshwright/base/error.h"
#include "meshwright/data/encoding/chat_tokens.h"
#include "meshwright/tokenizers/open/open_tokenizer.h"

namespace meshwright::data {
namespace {

using tokenizers::Id;

class ChatEncoder : public RecordEncoder {
 public:
  ChatEncoder(std::shared_ptr<const tokenizers::Tokenizer> tokenizer, const ChatOptions& options)
      : tokenizer_(std::move(tokenizer)),
        options_(options),
        format_(chat_format(options.chat_template)),
        tokens_(*tokenizer_, format_) {}

  std::string digest() const override {
    return str("chat ", chat_template_name(format_.name), ' ', static_cast<int>(options_.loss), ' ',
               tokenizer_digest(*tokenizer_));
  }
  std::int64_t vocab_size() const override { return tokenizer_->vocab_size(); }
  bool has_weights() const override { return true; }

  void encode(const Record& record, EncodedRecord& out) const override {
    const std::vector<ChatPart> parts = chat_parts(format_, record.messages, false);
    int last = -1;
    for (const ChatPart& part : parts)
      last = std::max(last, part.response);
    if (last < 0) fail(ErrorCode::invalid_argument, "the conversation has no assistant message");
    tokens_.encode(parts, first_response(last), out);
  }

 private:
  int first_response(int last) const {
    switch (options_.loss) {
      case ChatLoss::all:
        return -1;  // parts outside responses too
      case ChatLoss::last_response:
        return last;
      case ChatLoss::responses:
        break;
    }
    return 0;
  }

  std::shared_ptr<const tokenizers::Tokenizer> tokenizer_;
  ChatOptions options_;
  const ChatFormat& format_;
  ChatTokens tokens_;
};

}  // namespace

RecordEncoderPtr chat_encoder(std::shared_ptr<const tokenizers::Tokenizer> tokenizer,
                              const ChatOptions& options) {
  return std::make_shared<ChatEncoder>(std::move(tokenizer), options);
}

std::vector<Id> chat_prompt(const tokenizers::Tokenizer& tokenizer,
                            ChatTemplate chat_template,
                            std::span<const Message> messages) {
  const ChatFormat& format = chat_format(chat_template);
  if (!messages.empty() && messages.back().role == "assistant") {
    fail(ErrorCode::invalid_argument,
         "the last message is the assistant's, expected one to respond to");
  }
  EncodedRecord out;
  ChatTokens(tokenizer, format).encode(chat_parts(format, messages, true), 0, out);
  return out.tokens;
}

std::vector<Id> chat_stop_tokens(const tokenizers::Tokenizer& tokenizer,
                                 ChatTemplate chat_template) {
  const ChatFormat& format = chat_format(chat_template);
  const ChatTokens tokens(tokenizer, format);
  std::vector<Id> out;
  for (const ChatPart& part : template_parts(format, format.response, {}))
    if (std::optional<Id> id = tokens.marker(part)) out.push_back(*id);
  const std::optional<Id> eos = tokenizer.special_tokens().eos;
  if (eos && std::find(out.begin(), out.end(), *eos) == out.end()) out.push_back(*eos);
  return out;
}

}  // namespace meshwright::data
