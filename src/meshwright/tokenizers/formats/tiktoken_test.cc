// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/formats/tiktoken.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base64.h"
#include "meshwright/base/error.h"
#include "meshwright/base/str.h"

namespace meshwright::tokenizers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A vocabulary with as many ranks as GPT-2's: the bytes, three words, and tokens that do not occur.
std::string gpt2_file() {
  std::string out;
  int rank = 0;
  const auto add = [&](std::string_view token) { out += str(to_base64(token), " ", rank++, "\n"); };
  for (int i = 0; i < 256; ++i)
    add(std::string(1, static_cast<char>(i)));
  for (const char* token : {"he", "ll", "hell"})
    add(token);
  while (rank < 50256)
    add(str("\x01", rank));
  return out;
}

const Tokenizer& gpt2() {
  static const std::unique_ptr<Tokenizer> tokenizer = read_tiktoken(gpt2_file(), "x.tiktoken");
  return *tokenizer;
}

ErrorCode code_of(const std::string& content, std::string_view name = "") {
  try {
    read_tiktoken(content, "x.tiktoken", name);
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), testing::AnyOf(HasSubstr("x.tiktoken"), HasSubstr("vocabulary")));
    return error.code();
  }
  return ErrorCode::internal;
}

TEST(Tiktoken, KnowsTheVocabularyByItsRanks) {
  EXPECT_EQ(gpt2().description(), "byte-level BPE with 50257 tokens (gpt2)");
  EXPECT_EQ(gpt2().vocab_size(), 50257);
  EXPECT_EQ(gpt2().special_tokens().eos, 50256);
  EXPECT_EQ(gpt2().special_tokens().bos, std::nullopt);
  EXPECT_TRUE(is_tiktoken(gpt2_file()));
  EXPECT_FALSE(is_tiktoken("{\"version\": 1}"));
}

TEST(Tiktoken, EncodesAndDecodes) {
  std::vector<Id> ids;
  gpt2().encode("hello <|endoftext|><|x|>", ids);
  EXPECT_THAT(ids, ElementsAre(258, 'o', ' ', 50256, '<', '|', 'x', '|', '>'));
  EXPECT_EQ(gpt2().decode(ids), "hello <|x|>");
  ids.clear();
  gpt2().encode("<|endoftext|>", ids, SpecialText::plain);
  EXPECT_EQ(ids.size(), 13U);
  EXPECT_EQ(gpt2().decode(ids), "<|endoftext|>");
  EXPECT_EQ(gpt2().piece(50256), "<|endoftext|>");
  EXPECT_EQ(gpt2().find("<|endoftext|>"), 50256);
  EXPECT_EQ(gpt2().piece(258), "hell");
  EXPECT_EQ(gpt2().find("hello"), std::nullopt);
  EXPECT_THROW(gpt2().decode(std::vector<Id>{50257}), Error);
  EXPECT_THROW(gpt2().decode(std::vector<Id>{-1}), Error);
}

TEST(Tiktoken, SavesWhatItRead) {
  EXPECT_EQ(gpt2().saved(), gpt2_file());
}

TEST(Tiktoken, RefusesDamagedFiles) {
  EXPECT_EQ(code_of("YQ== 0\nYg==\n"), ErrorCode::data_loss);
  EXPECT_EQ(code_of("YQ== 0\nY!== 1\n"), ErrorCode::data_loss);
  EXPECT_EQ(code_of("YQ== 0\nYg== -1\n"), ErrorCode::data_loss);
  EXPECT_EQ(code_of("YQ== 0\nYg== 99999999999\n"), ErrorCode::data_loss);
  EXPECT_EQ(code_of("YQ== 0\nYg== 0\n"), ErrorCode::data_loss);
  EXPECT_EQ(code_of("YQ== 0\n"), ErrorCode::not_found);
  EXPECT_EQ(code_of(gpt2_file(), "cl100k_base"), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of(gpt2_file(), "gpt5"), ErrorCode::not_found);
  std::string without_byte = gpt2_file();
  without_byte.replace(0, without_byte.find('\n'), "AGFhYWFh 0");
  EXPECT_EQ(code_of(without_byte), ErrorCode::data_loss);
}

}  // namespace
}  // namespace meshwright::tokenizers
