// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/text/tokenizer_codec.h"

#include <span>
#include <string>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/data/encoding/chat_encoder.h"
#include "meshwright/tokenizers/unicode/utf8.h"

namespace meshwright::data {
namespace {

using tokenizers::Tokenizer;

// A model may have more tokens than the tokenizer, to make its vocabulary a round number: these
// give no text.
std::vector<std::int32_t> known_tokens(const Tokenizer& tokenizer,
                                       std::span<const std::int32_t> tokens) {
  std::vector<std::int32_t> out;
  const std::int64_t size = tokenizer.vocab_size();  // 0: unknown
  for (const std::int32_t token : tokens)
    if (size == 0 || token < size) out.push_back(token);
  return out;
}

std::string decode(const Tokenizer& tokenizer, std::span<const std::int32_t> tokens) {
  std::string storage;
  const std::string text = tokenizer.decode(known_tokens(tokenizer, tokens));
  return std::string(tokenizers::to_valid_utf8(text, storage));
}

// A tokenizer that puts a space before texts leaves it out when it decodes, although the tokens
// continue a text.
std::string decode_after_text(const Tokenizer& tokenizer, std::span<const std::int32_t> tokens) {
  for (const std::int32_t token : known_tokens(tokenizer, tokens)) {
    const std::string bytes = tokenizer.bytes(token);
    if (bytes.empty()) continue;
    const bool loses_space = bytes == str(" ", tokenizer.bytes(token, /*at_start=*/true));
    return str(loses_space ? " " : "", decode(tokenizer, tokens));
  }
  return decode(tokenizer, tokens);
}

// Returns the tokens whose text no further tokens change.
std::vector<std::int32_t> settled(const Tokenizer& tokenizer,
                                  std::span<const std::int32_t> tokens) {
  std::vector<std::int32_t> out = known_tokens(tokenizer, tokens);
  out.resize(tokenizer.num_settled(out));
  return out;
}

TokenSizes token_sizes(const Tokenizer& tokenizer) {
  TokenSizes out;
  const auto size = [&](tokenizers::Id id, bool at_start) {
    return static_cast<std::int32_t>(tokenizer.bytes(id, at_start).size());
  };
  for (tokenizers::Id id = 0; id < tokenizer.vocab_size(); ++id) {
    out.inside.push_back(size(id, false));
    out.at_start.push_back(size(id, true));
  }
  return out;
}

// Returns a codec without `encode` and `decode`.
TextCodec codec_of(const std::shared_ptr<const Tokenizer>& tokenizer) {
  TextCodec out;
  out.find_token = [tokenizer](const std::string& piece) { return tokenizer->find(piece); };
  out.token_sizes = [tokenizer] { return token_sizes(*tokenizer); };
  return out;
}

}  // namespace

TextCodec plain_codec(std::shared_ptr<const Tokenizer> tokenizer,
                      std::vector<std::int32_t> before) {
  TextCodec out = codec_of(tokenizer);
  out.name = str("text for ", tokenizer->description());
  if (const auto eos = tokenizer->special_tokens().eos) out.end_tokens = {*eos};
  out.decode = [tokenizer](std::span<const std::int32_t> tokens) {
    return decode_after_text(*tokenizer, tokens);
  };
  out.decode_settled = [tokenizer](std::span<const std::int32_t> tokens) {
    return decode_after_text(*tokenizer, settled(*tokenizer, tokens));
  };
  out.encode = [tokenizer = std::move(tokenizer),
                before = std::move(before)](const std::string& text) {
    std::vector<std::int32_t> ids = before;
    tokenizer->encode(text, ids);
    MW_CHECK(!ids.empty(), "the prompt is empty");
    return ids;
  };
  return out;
}

TextCodec chat_codec(const std::shared_ptr<const Tokenizer>& tokenizer,
                     ChatTemplate chat_template) {
  TextCodec out = codec_of(tokenizer);
  out.name = str("messages of a user, for ", tokenizer->description());
  out.end_tokens = chat_stop_tokens(*tokenizer, chat_template);
  out.decode = [tokenizer](std::span<const std::int32_t> tokens) {
    return decode(*tokenizer, tokens);
  };
  out.decode_settled = [tokenizer](std::span<const std::int32_t> tokens) {
    return decode(*tokenizer, settled(*tokenizer, tokens));
  };
  out.encode_chat = [tokenizer, chat_template](const std::vector<ChatMessage>& messages) {
    std::vector<Message> views;
    for (const ChatMessage& message : messages)
      views.push_back({.role = message.role, .content = message.content});
    return chat_prompt(*tokenizer, chat_template, views);
  };
  out.encode = [encode_chat = out.encode_chat](const std::string& text) {
    return encode_chat({{.role = "user", .content = text}});
  };
  return out;
}

}  // namespace meshwright::data
