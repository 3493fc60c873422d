// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/prompts.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>

#include "meshwright/base/check.h"
#include "meshwright/base/json_value.h"
#include "meshwright/data/text/end_tokens.h"

namespace meshwright::cli {
namespace {

std::vector<data::ChatMessage> parse_messages(const std::string& prompt) {
  try {
    const JsonValue messages = parse_json(prompt, "the prompt");
    std::vector<data::ChatMessage> out;
    for (const JsonValue& message : messages.as_array())
      out.push_back({message.at("role").as_text(), message.at("content").as_text()});
    return out;
  } catch (const Error& error) {
    fail(ErrorCode::invalid_argument,
         "generate: --chat: a prompt must be a JSON list of messages, such as "
         R"([{"role": "user", "content": "Hi"}]: )",
         error.what());
  }
}

// Returns the number of tokens that end before byte `stop` of their text, which is longer.
std::size_t num_tokens_before(const data::TextCodec& codec,
                              std::size_t stop,
                              std::span<const std::int32_t> tokens) {
  std::size_t before = 0, reaching = tokens.size();
  while (reaching - before > 1) {
    const std::size_t middle = (before + reaching) / 2;
    const bool reaches = codec.decode(tokens.first(middle)).size() > stop;
    (reaches ? reaching : before) = middle;
  }
  return before;
}

}  // namespace

std::vector<std::int32_t> encode_prompt(const data::TextCodec& codec,
                                        const PromptOptions& options,
                                        const std::string& prompt) {
  if (!options.is_chat && !options.system) return codec.encode(prompt);
  MW_CHECK(codec.encode_chat, "generate: ", options.is_chat ? "--chat" : "--system",
           " needs a chat template, and the run's data has none\nname the template: "
           "'data.chat={template=\"chatml\"}'");
  std::vector<data::ChatMessage> messages;
  if (options.system) messages.push_back({"system", *options.system});
  if (!options.is_chat) {
    messages.push_back({"user", prompt});
  } else {
    std::ranges::move(parse_messages(prompt), std::back_inserter(messages));
  }
  return codec.encode_chat(messages);
}

std::vector<std::int32_t> end_tokens(const data::TextCodec& codec,
                                     const std::vector<std::string>& stops) {
  std::vector<std::int32_t> out = codec.end_tokens;
  for (const std::string& stop : stops) {
    MW_CHECK(codec.find_token, "generate: --stop: the run's data is not text");
    MW_CHECK(!stop.empty(), "generate: --stop is empty");
    const std::optional<std::int32_t> token = codec.find_token(stop);
    if (token) data::add_end_token(*token, out);
  }
  return out;
}

std::size_t first_stop(std::string_view text, const std::vector<std::string>& stops) {
  std::size_t out = text.npos;
  for (const std::string& stop : stops)
    out = std::min(out, text.find(stop));
  return out;
}

std::string text_before(const data::TextCodec& codec,
                        const std::vector<std::string>& stops,
                        train::GeneratedText& made) {
  std::string text = codec.decode(made.tokens);
  const std::size_t stop = first_stop(text, stops);
  if (stop == text.npos) return text;
  made.tokens.resize(num_tokens_before(codec, stop, made.tokens));
  made.has_ended = true;
  return text.substr(0, stop);
}

}  // namespace meshwright::cli
