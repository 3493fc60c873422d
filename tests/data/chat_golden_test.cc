// SPDX-License-Identifier: Apache-2.0
// Conversations against the original chat templates, rendered by transformers.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include <gtest/gtest.h>

#include "meshwright/base/json_value.h"
#include "meshwright/data/encoding/chat_encoder.h"
#include "meshwright/data/encoding/chat_parts.h"
#include "meshwright/tokenizers/open/open_tokenizer.h"

namespace meshwright::data {
namespace {

using tokenizers::Id;

const std::filesystem::path kFolder = GOLDEN_FOLDER;

struct Example {
  JsonValue json;
  std::vector<Message> messages;

  const std::string& text() const { return json.at("text").as_text(); }
  bool has_response() const {
    return std::any_of(messages.begin(), messages.end(),
                       [](const Message& message) { return message.role == "assistant"; });
  }
};

std::vector<Example> examples(const std::string& name) {
  std::ifstream stream(kFolder / (name + ".jsonl"), std::ios::binary);
  std::vector<Example> out;
  for (std::string line; std::getline(stream, line);)
    out.push_back({parse_json(line, name), {}});
  for (Example& example : out)
    for (const JsonValue& message : example.json.at("messages").as_array())
      example.messages.push_back(
          {message.as_array().at(0).as_text(), message.as_array().at(1).as_text()});
  return out;
}

std::string text_of(const std::vector<ChatPart>& parts) {
  std::string out;
  for (const ChatPart& part : parts) {
    using enum ChatPart::Kind;
    out += part.kind == bos ? "<s>" : part.kind == eos ? "</s>" : part.text;
  }
  return out;
}

std::vector<std::int64_t> integers(const JsonValue& json) {
  std::vector<std::int64_t> out;
  for (const JsonValue& each : json.as_array())
    out.push_back(each.as_integer());
  return out;
}

class ChatGolden : public testing::TestWithParam<std::pair<std::string, ChatTemplate>> {
 protected:
  const std::string name_ = GetParam().first;
  const ChatTemplate template_ = GetParam().second;
  const std::vector<Example> examples_ = examples(name_);
  const std::shared_ptr<const tokenizers::Tokenizer> tokenizer_ =
      tokenizers::open_tokenizer(kFolder / "tokenizer.json");
};

TEST_P(ChatGolden, TextIsThatOfTheOriginal) {
  ASSERT_GE(examples_.size(), 12u);
  for (const Example& example : examples_) {
    EXPECT_EQ(text_of(chat_parts(chat_format(template_), example.messages, false)), example.text());
  }
}

TEST_P(ChatGolden, PromptIsThatOfTheOriginal) {
  int checked = 0;
  for (const Example& example : examples_) {
    const JsonValue* prompt = example.json.find("prompt");
    if (prompt == nullptr) continue;
    EXPECT_EQ(text_of(chat_parts(chat_format(template_), example.messages, true)),
              prompt->as_text());
    ++checked;
  }
  EXPECT_GE(checked, 6);
}

TEST_P(ChatGolden, TokensAndWeightsAreThoseOfTheOriginal) {
  const RecordEncoderPtr encoder = chat_encoder(tokenizer_, {.chat_template = template_});
  int checked = 0;
  for (const Example& example : examples_) {
    const JsonValue* ids = example.json.find("ids");
    if (ids == nullptr || !example.has_response()) continue;
    ++checked;
    EncodedRecord out;
    encoder->encode({.messages = example.messages}, out);
    EXPECT_EQ(std::vector<std::int64_t>(out.tokens.begin(), out.tokens.end()), integers(*ids))
        << example.text();
    EXPECT_EQ(std::vector<std::int64_t>(out.weights.begin(), out.weights.end()),
              integers(example.json.at("weights")))
        << example.text();
  }
  const bool plain_markers = template_ == ChatTemplate::llama2 ||
                             template_ == ChatTemplate::mistral_v1 ||
                             template_ == ChatTemplate::zephyr;
  EXPECT_GE(checked, plain_markers ? 0 : 3);
}

TEST_P(ChatGolden, PromptsBeginTheTokensOfTheirResponse) {
  const RecordEncoderPtr encoder = chat_encoder(tokenizer_, {.chat_template = template_});
  for (const Example& example : examples_) {
    if (example.messages.back().role != "assistant") continue;
    EncodedRecord all;
    encoder->encode({.messages = example.messages}, all);
    std::vector<Message> before = example.messages;
    before.pop_back();
    const std::vector<Id> prompt = chat_prompt(*tokenizer_, template_, before);
    ASSERT_LT(prompt.size(), all.tokens.size());
    EXPECT_TRUE(std::equal(prompt.begin(), prompt.end(), all.tokens.begin())) << example.text();
    EXPECT_EQ(all.weights[prompt.size() - 1], 0);
    EXPECT_EQ(all.weights[prompt.size()], 1);
  }
}

TEST_P(ChatGolden, StopTokensEndEveryResponse) {
  const std::vector<Id> stops = chat_stop_tokens(*tokenizer_, template_);
  const RecordEncoderPtr encoder = chat_encoder(tokenizer_, {.chat_template = template_});
  for (const Example& example : examples_) {
    if (!example.has_response()) continue;
    EncodedRecord out;
    encoder->encode({.messages = example.messages}, out);
    for (std::size_t i = 0; i < out.weights.size(); ++i) {
      const bool ends = out.weights[i] == 1 && (i + 1 == out.weights.size() || !out.weights[i + 1]);
      if (ends) {
        EXPECT_EQ(out.tokens[i], stops.front());
      }
    }
  }
}

// In llama2 each user message has a BOS.
TEST_P(ChatGolden, BosIsWhereTheTemplateHasItAndContentsAddNone) {
  const bool none = template_ == ChatTemplate::chatml || template_ == ChatTemplate::qwen2_5 ||
                    template_ == ChatTemplate::phi3 || template_ == ChatTemplate::zephyr;
  const RecordEncoderPtr encoder = chat_encoder(tokenizer_, {.chat_template = template_});
  const Id bos = tokenizer_->special_tokens().bos.value();
  for (const Example& example : examples_) {
    if (!example.has_response()) continue;
    std::int64_t expected = none ? 0 : 1;
    if (template_ == ChatTemplate::llama2) {
      expected = std::count_if(example.messages.begin(), example.messages.end(),
                               [](const Message& message) { return message.role == "user"; });
    }
    EncodedRecord out;
    encoder->encode({.messages = example.messages}, out);
    EXPECT_EQ(std::count(out.tokens.begin(), out.tokens.end(), bos), expected);
    if (!none) {
      EXPECT_EQ(out.tokens.front(), bos);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All,
                         ChatGolden,
                         testing::ValuesIn(config_choices(ChatTemplate{})),
                         [](const auto& one) { return one.param.first; });

}  // namespace
}  // namespace meshwright::data
