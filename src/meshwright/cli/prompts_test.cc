// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/prompts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"

namespace meshwright::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Tokens = std::vector<std::int32_t>;

// Tokens are letters, except 1 and 2, which end texts and have names.
data::TextCodec named_letters() {
  data::TextCodec out;
  out.encode = [](const std::string& text) { return Tokens(text.begin(), text.end()); };
  out.decode = [](std::span<const std::int32_t> tokens) {
    return std::string(tokens.begin(), tokens.end());
  };
  out.end_tokens = {1};
  out.find_token = [](const std::string& name) -> std::optional<std::int32_t> {
    if (name == "<end>") return 1;
    if (name == "<turn>") return 2;
    return std::nullopt;
  };
  return out;
}

data::TextCodec chat_letters() {
  data::TextCodec out = named_letters();
  out.encode_chat = [encode = out.encode](const std::vector<data::ChatMessage>& messages) {
    std::string text;
    for (const data::ChatMessage& message : messages)
      text += message.role + ":" + message.content + "\n";
    return encode(text);
  };
  return out;
}

std::string encoded(const PromptOptions& options, const std::string& prompt) {
  return named_letters().decode(encode_prompt(chat_letters(), options, prompt));
}

TEST(Prompts, AreTextOrConversations) {
  const std::string talk = R"([{"role":"user","content":"a"},{"role":"assistant","content":"b"},)"
                           R"({"role":"user","content":"c"}])";
  EXPECT_EQ(encoded({}, "hi"), "hi");
  EXPECT_EQ(encoded({.system = "s"}, "hi"), "system:s\nuser:hi\n");
  EXPECT_EQ(encoded({.is_chat = true}, talk), "user:a\nassistant:b\nuser:c\n");
  EXPECT_EQ(encoded({.is_chat = true, .system = "s"}, talk),
            "system:s\nuser:a\nassistant:b\nuser:c\n");
}

TEST(Prompts, OfAChatMustBeListsOfMessages) {
  for (const char* prompt : {"hi", "{}", "[1]", R"([{"role":"user"}])", R"([{"content":"a"}])"})
    EXPECT_THAT(message_of([&] { encoded({.is_chat = true}, prompt); }),
                HasSubstr("a prompt must be a JSON list of messages"))
        << prompt;
}

TEST(Prompts, OfAChatNeedATemplate) {
  EXPECT_THAT(message_of([] { encode_prompt(named_letters(), {.is_chat = true}, "[]"); }),
              HasSubstr("--chat needs a chat template"));
  EXPECT_THAT(message_of([] { encode_prompt(named_letters(), {.system = "s"}, "hi"); }),
              HasSubstr("--system needs a chat template"));
}

TEST(Stops, AddTheTokensTheyName) {
  EXPECT_THAT(end_tokens(named_letters(), {}), ElementsAre(1));
  EXPECT_THAT(end_tokens(named_letters(), {"<turn>", "<end>", "plain"}), ElementsAre(1, 2));
  EXPECT_THAT(message_of([] { end_tokens(named_letters(), {""}); }), HasSubstr("--stop is empty"));
  EXPECT_THAT(message_of([] { end_tokens(data::token_numbers(), {"5"}); }),
              HasSubstr("is not text"));
}

struct Cut {
  std::string text;
  std::size_t num_tokens;
  bool has_ended;
  bool operator==(const Cut&) const = default;
};

// Each token is this many letters.
Cut cut(const std::string& text, const std::vector<std::string>& stops, std::size_t letters = 1) {
  data::TextCodec codec;
  codec.decode = [&](std::span<const std::int32_t> tokens) {
    return text.substr(0, tokens.size() * letters);
  };
  train::GeneratedText made = {.tokens = Tokens((text.size() + letters - 1) / letters)};
  const std::string found = text_before(codec, stops, made);
  return {found, made.tokens.size(), made.has_ended};
}

TEST(Stops, CutTheTextAtTheFirst) {
  EXPECT_EQ(cut("one two three", {}), (Cut{"one two three", 13, false}));
  EXPECT_EQ(cut("one two three", {"four"}), (Cut{"one two three", 13, false}));
  EXPECT_EQ(cut("one two three", {"three", "two"}), (Cut{"one ", 4, true}));
  EXPECT_EQ(cut("one two three", {"one"}), (Cut{"", 0, true}));
  EXPECT_EQ(cut("one two three", {"e"}), (Cut{"on", 2, true}));
  EXPECT_EQ(cut("one two three", {"hree"}), (Cut{"one two t", 9, true}));
}

TEST(Stops, KeepOnlyTokensThatLieBeforeThem) {
  EXPECT_EQ(cut("one two three", {"two"}, 3), (Cut{"one ", 1, true}));
  EXPECT_EQ(cut("one two three", {"wo"}, 5), (Cut{"one t", 1, true}));
  EXPECT_EQ(cut("one two three", {"two"}, 20), (Cut{"one ", 0, true}));
}

}  // namespace
}  // namespace meshwright::cli
