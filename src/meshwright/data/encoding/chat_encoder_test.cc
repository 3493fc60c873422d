// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/encoding/chat_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/error.h"
#include "meshwright/data/encoding/prompt_encoder.h"
#include "meshwright/tokenizers/open/byte_tokenizer.h"
#include "meshwright/tokenizers/open/open_tokenizer.h"

namespace meshwright::data {
namespace {

using testing::HasSubstr;
using tokenizers::Id;
using tokenizers::Tokenizer;
using Messages = std::vector<Message>;

// Letters a to z, space and line break are tokens, and a few special ones.
std::shared_ptr<const Tokenizer> letters(const std::vector<std::string>& special) {
  std::string vocab = R"("\u0120": 0, "\u010a": 1)";
  for (int i = 0; i < 26; ++i)
    vocab += str(", \"", static_cast<char>('a' + i), "\": ", i + 2);
  for (const char* mark : {"<", "|", ">", "_", "/"})
    vocab += str(", \"", mark, "\": ", 28 + std::string_view("<|>_/").find(mark));
  std::string added;
  for (std::size_t i = 0; i < special.size(); ++i) {
    added += str(i == 0 ? "" : ",", R"({"id": )", 33 + i, R"(, "content": ")", special[i],
                 R"(", "single_word": false, "lstrip": false, "rstrip": false, )",
                 R"("normalized": false, "special": true})");
  }
  return tokenizers::tokenizer_of_content(
      str(R"({"version": "1.0", "added_tokens": [)", added,
          R"(], "normalizer": null, "pre_tokenizer": {"type": "ByteLevel", )",
          R"("add_prefix_space": false, "trim_offsets": true, "use_regex": true}, )",
          R"("post_processor": null, "decoder": {"type": "ByteLevel"}, )",
          R"("model": {"type": "BPE", "vocab": {)", vocab, R"(}, "merges": []}})"),
      "letters");
}

std::shared_ptr<const Tokenizer> chatml_letters() {
  return letters({"<s>", "</s>", "<|im_start|>", "<|im_end|>"});
}

std::string pieces(const Tokenizer& tokenizer, const EncodedRecord& record, int weight) {
  std::string out;
  for (std::size_t i = 0; i < record.tokens.size(); ++i)
    if (record.weights[i] == weight) out += tokenizer.piece(record.tokens[i]);
  return out;
}

EncodedRecord encoded(const RecordEncoder& encoder, const Messages& messages) {
  EncodedRecord out;
  encoder.encode({.messages = messages}, out);
  return out;
}

std::string error_of(ChatTemplate chat_template,
                     const std::shared_ptr<const Tokenizer>& tokenizer,
                     const Messages& messages) {
  try {
    encoded(*chat_encoder(tokenizer, {.chat_template = chat_template}), messages);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.what();
  }
  return "no error";
}

const Messages kTwoTurns = {{"user", "a"}, {"assistant", "b"}, {"user", "c"}, {"assistant", "d"}};

TEST(ChatEncoder, LearnsResponsesAndTheirEnds) {
  const auto tokenizer = chatml_letters();
  EncodedRecord out = encoded(*chat_encoder(tokenizer, {}), kTwoTurns);
  EXPECT_EQ(pieces(*tokenizer, out, 1), "b<|im_end|>d<|im_end|>");

  out = encoded(*chat_encoder(tokenizer, {.loss = ChatLoss::last_response}), kTwoTurns);
  EXPECT_EQ(pieces(*tokenizer, out, 1), "d<|im_end|>");

  out = encoded(*chat_encoder(tokenizer, {.loss = ChatLoss::all}), kTwoTurns);
  EXPECT_EQ(pieces(*tokenizer, out, 0), "");
}

TEST(ChatEncoder, LearnsOnlyTheLastResponseInsideText) {
  const auto tokenizer = letters({"<s>", "</s>"});
  const ChatOptions options = {.chat_template = ChatTemplate::deepseek_v2,
                               .loss = ChatLoss::last_response};
  const EncodedRecord out = encoded(*chat_encoder(tokenizer, options), kTwoTurns);
  EXPECT_EQ(pieces(*tokenizer, out, 1), "\u0120d</s>");
}

TEST(ChatEncoder, AppendsToADocument) {
  const auto tokenizer = chatml_letters();
  const RecordEncoderPtr encoder = chat_encoder(tokenizer, {});
  EncodedRecord twice = encoded(*encoder, kTwoTurns);
  const EncodedRecord once = twice;
  encoder->encode({.messages = kTwoTurns}, twice);
  EXPECT_EQ(twice.tokens.size(), 2 * once.tokens.size());
  EXPECT_EQ(twice.weights.size(), twice.tokens.size());
}

TEST(ChatEncoder, ContentsCannotForgeSpecialTokens) {
  const auto tokenizer = chatml_letters();
  const Id end = tokenizer->find("<|im_end|>").value();
  const EncodedRecord out = encoded(*chat_encoder(tokenizer, {}),
                                    {{"user", "<|im_end|>"}, {"assistant", "<|im_end|></s>"}});
  EXPECT_EQ(std::count(out.tokens.begin(), out.tokens.end(), end), 2);
  EXPECT_EQ(pieces(*tokenizer, out, 1), "<|im_end|></s><|im_end|>");
}

TEST(ChatEncoder, NamesAMissingSpecialToken) {
  EXPECT_THAT(error_of(ChatTemplate::chatml, letters({"<s>", "</s>"}), kTwoTurns),
              HasSubstr("'<|im_start|>'"));
  EXPECT_THAT(error_of(ChatTemplate::zephyr, letters({"<s>"}), kTwoTurns),
              HasSubstr("end-of-text"));
}

TEST(ChatEncoder, RefusesMessagesThatTheTemplateDoesNotAllow) {
  const auto chatml = chatml_letters();
  const auto plain = letters({"<s>", "</s>"});
  EXPECT_THAT(error_of(ChatTemplate::chatml, chatml, {}), HasSubstr("no messages"));
  EXPECT_THAT(error_of(ChatTemplate::chatml, chatml, {{"user", "a"}}),
              HasSubstr("no assistant message"));
  EXPECT_THAT(error_of(ChatTemplate::chatml, chatml, {{"user", "a"}, {"tool", "b"}}),
              HasSubstr("message 1: unknown role 'tool'"));
  EXPECT_THAT(error_of(ChatTemplate::llama2, plain, {{"user", "a"}, {"user", "b"}}),
              HasSubstr("message 1: expected role 'assistant', got 'user'"));
  EXPECT_THAT(error_of(ChatTemplate::llama2, plain, {{"system", "a"}}), HasSubstr("only a system"));
  EXPECT_THAT(error_of(ChatTemplate::llama2, plain, {{"system", "a"}, {"assistant", "b"}}),
              HasSubstr("expected role 'user'"));
  EXPECT_THAT(error_of(ChatTemplate::vicuna, plain, {{"user", "a"}, {"system", "b"}}),
              HasSubstr("only at the start"));
  EXPECT_THAT(
      error_of(ChatTemplate::gemma, letters({"<s>", "</s>", "<start_of_turn>", "<end_of_turn>"}),
               {{"system", "a"}, {"user", "b"}}),
      HasSubstr("does not support system messages"));
}

TEST(ChatEncoder, PromptEndsWhereTheAssistantStarts) {
  const auto tokenizer = chatml_letters();
  const std::vector<Id> prompt =
      chat_prompt(*tokenizer, ChatTemplate::chatml, Messages{{"user", "a"}});
  const EncodedRecord out =
      encoded(*chat_encoder(tokenizer, {}), {{"user", "a"}, {"assistant", "b"}});
  ASSERT_LT(prompt.size(), out.tokens.size());
  EXPECT_TRUE(std::equal(prompt.begin(), prompt.end(), out.tokens.begin()));
  EXPECT_EQ(out.weights[prompt.size() - 1], 0);
  EXPECT_EQ(out.weights[prompt.size()], 1);
  EXPECT_THROW(chat_prompt(*tokenizer, ChatTemplate::chatml, kTwoTurns), Error);
  EXPECT_EQ(
      chat_stop_tokens(*tokenizer, ChatTemplate::chatml),
      (std::vector<Id>{tokenizer->find("<|im_end|>").value(), tokenizer->find("</s>").value()}));
}

TEST(ChatEncoder, DigestsDifferByTemplateAndLoss) {
  const auto tokenizer = chatml_letters();
  const std::string digest = chat_encoder(tokenizer, {})->digest();
  EXPECT_NE(digest, chat_encoder(tokenizer, {.loss = ChatLoss::all})->digest());
  EXPECT_NE(digest, chat_encoder(tokenizer, {.chat_template = ChatTemplate::qwen2_5})->digest());
}

TEST(PromptEncoder, LearnsTheCompletionAndEos) {
  const std::shared_ptr<const Tokenizer> tokenizer = tokenizers::byte_tokenizer();
  const std::vector<std::string_view> fields = {"ab", "c"};
  EncodedRecord out;
  prompt_completion_encoder(tokenizer)->encode({.fields = fields}, out);
  EXPECT_EQ(out.tokens, (std::vector<Id>{'a', 'b', 'c', 256}));
  EXPECT_EQ(out.weights, (std::vector<std::uint8_t>{0, 0, 1, 1}));

  out.clear();
  prompt_completion_encoder(tokenizer, {.learn_prompt = true})->encode({.fields = fields}, out);
  EXPECT_EQ(out.weights, (std::vector<std::uint8_t>{1, 1, 1, 1}));
}

TEST(PromptEncoder, RefusesARecordWithoutTwoFields) {
  const std::vector<std::string_view> fields = {"ab"};
  EncodedRecord out;
  EXPECT_THROW(
      prompt_completion_encoder(tokenizers::byte_tokenizer())->encode({.fields = fields}, out),
      Error);
}

TEST(PromptEncoder, NeedsAnEndOfText) {
  EXPECT_THROW(prompt_completion_encoder(letters({"<s>"})), Error);
}

}  // namespace
}  // namespace meshwright::data
