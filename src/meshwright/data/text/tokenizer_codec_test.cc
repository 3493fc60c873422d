// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/text/tokenizer_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/data/encoding/chat_encoder.h"
#include "meshwright/tokenizers/open/byte_tokenizer.h"
#include "meshwright/tokenizers/open/open_tokenizer.h"

namespace meshwright::data {
namespace {

using testing::ElementsAre;
using Tokens = std::vector<std::int32_t>;

// Words with the space before them, which decoding leaves out at the start, and the end of a turn.
std::shared_ptr<const tokenizers::Tokenizer> words() {
  return tokenizers::tokenizer_of_content(R"({
      "added_tokens": [
        {"id": 3, "content": "</s>", "single_word": false, "lstrip": false, "rstrip": false,
         "normalized": false, "special": true},
        {"id": 4, "content": "<|im_end|>", "single_word": false, "lstrip": false, "rstrip": false,
         "normalized": false, "special": true},
        {"id": 5, "content": "<|im_start|>", "single_word": false, "lstrip": false,
         "rstrip": false, "normalized": false, "special": true}],
      "pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always",
                        "split": true},
      "decoder": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always",
                  "split": true},
      "model": {"type": "WordLevel", "unk_token": "<unk>",
                "vocab": {"<unk>": 0, "\u2581caf\u00e9s": 1, "\u2581open": 2, "</s>": 3, "<|im_end|>": 4,
                          "<|im_start|>": 5}}})",
                                          "words");
}

TEST(TokenizerCodec, ContinuesTextWithTheSpaceBeforeAWord) {
  const TextCodec codec = plain_codec(words(), {});
  EXPECT_EQ(codec.decode(Tokens{1, 2}), " caf\xc3\xa9s open");
  EXPECT_EQ(codec.decode(Tokens{3, 2}), " open");
  EXPECT_EQ(codec.decode(Tokens{}), "");
}

TEST(TokenizerCodec, StartsResponsesWithoutASpace) {
  EXPECT_EQ(chat_codec(words(), ChatTemplate::chatml).decode(Tokens{1, 2, 4}), "caf\xc3\xa9s open");
}

TEST(TokenizerCodec, GivesValidUtf8) {
  const TextCodec codec = plain_codec(tokenizers::byte_tokenizer(), {});
  EXPECT_EQ(codec.decode(Tokens{'a', 0xc3, 0xa9, 0xc3}), "a\xc3\xa9\xef\xbf\xbd");
  // Models may have more tokens.
  EXPECT_EQ(codec.decode(Tokens{'a', 256, 300, 'b'}), "ab");
}

TEST(TokenizerCodec, PromptsBeginWithTheTokensBefore) {
  EXPECT_THAT(plain_codec(tokenizers::byte_tokenizer(), {256}).encode("hi"),
              ElementsAre(256, 'h', 'i'));
}

TEST(TokenizerCodec, EndsAtEosAndAtTheEndOfATurn) {
  EXPECT_THAT(plain_codec(words(), {}).end_tokens, ElementsAre(3));
  EXPECT_THAT(chat_codec(words(), ChatTemplate::chatml).end_tokens, ElementsAre(4, 3));
  EXPECT_EQ(plain_codec(words(), {}).find_token("<|im_end|>"), 4);
  EXPECT_EQ(plain_codec(words(), {}).find_token("<|eot|>"), std::nullopt);
}

TEST(TokenizerCodec, EncodesConversationsWithTheTemplate) {
  const std::shared_ptr<const tokenizers::Tokenizer> bytes = tokenizers::byte_tokenizer();
  const TextCodec codec = chat_codec(bytes, ChatTemplate::vicuna);
  const std::vector<Message> expected = {
      {"system", "Be brief."}, {"user", "a"}, {"assistant", "b"}, {"user", "c"}};
  EXPECT_EQ(codec.encode_chat(
                {{"system", "Be brief."}, {"user", "a"}, {"assistant", "b"}, {"user", "c"}}),
            chat_prompt(*bytes, ChatTemplate::vicuna, expected));
  EXPECT_EQ(codec.encode("c"), codec.encode_chat({{"user", "c"}}));
  EXPECT_EQ(plain_codec(bytes, {}).encode_chat, nullptr);
}

TEST(TokenizerCodec, KnowsTheBytesOfEachToken) {
  const TokenSizes sizes = plain_codec(words(), {}).token_sizes();
  EXPECT_THAT(sizes.inside, ElementsAre(0, 7, 5, 0, 0, 0));
  EXPECT_THAT(sizes.at_start, ElementsAre(0, 6, 4, 0, 0, 0));
  const TokenSizes of_bytes = plain_codec(tokenizers::byte_tokenizer(), {}).token_sizes();
  EXPECT_EQ(of_bytes.inside.size(), 257u);
  EXPECT_EQ(of_bytes.inside[255], 1);
  EXPECT_EQ(of_bytes.inside[256], 0);
}

}  // namespace
}  // namespace meshwright::data
