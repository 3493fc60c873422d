// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/display/token_text.h"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/str.h"
#include "meshwright/tokenizers/core/tokenizer_testutil.h"
#include "meshwright/tokenizers/open/byte_tokenizer.h"
#include "meshwright/tokenizers/open/open_tokenizer.h"

namespace meshwright::tokenizers {
namespace {

using testing::ElementsAre;

// Returns the texts of the groups, in brackets if special, with the number of tokens if not one.
std::vector<std::string> shown(const Tokenizer& tokenizer,
                               const std::vector<Id>& ids,
                               bool is_start = true) {
  std::vector<std::string> out;
  std::size_t next = 0;
  for (const TokenText& piece : token_texts(tokenizer, ids, is_start)) {
    EXPECT_EQ(piece.begin, next);
    next = piece.end;
    out.push_back(piece.is_special ? str("[", piece.text, "]") : piece.text);
    if (piece.end - piece.begin != 1) out.back() += str("/", piece.end - piece.begin);
  }
  EXPECT_EQ(next, ids.size());
  return out;
}

TEST(TokenTexts, JoinTheBytesOfACharacter) {
  const auto bytes = byte_tokenizer();
  EXPECT_THAT(shown(*bytes, encoded(*bytes, "a\xc3\xa9\xf0\x9f\x98\x80.")),
              ElementsAre("a", "\xc3\xa9/2", "\xf0\x9f\x98\x80/4", "."));
}

TEST(TokenTexts, KeepBytesThatBelongToNoCharacter) {
  const auto bytes = byte_tokenizer();
  EXPECT_THAT(shown(*bytes, encoded(*bytes,
                                    "\xa9\xff"
                                    "ab\xf0\x9f")),
              ElementsAre("\xa9", "\xff", "a", "b", "\xf0", "\x9f"));
}

TEST(TokenTexts, NameSpecialTokensAndUnknownIds) {
  const auto bytes = byte_tokenizer();
  EXPECT_THAT(shown(*bytes, {'a', 256, 50300, -1, 'b'}),
              ElementsAre("a", "[<|endoftext|>]", "[<50300>]", "[<-1>]", "b"));
}

// As of Llama 2: a space begins each word, and unknown characters are spelled in bytes.
std::unique_ptr<Tokenizer> words_with_bytes() {
  return tokenizer_of_content(R"({"model": {"type": "BPE", "byte_fallback": true,
    "vocab": {"<unk>": 0, "\u2581": 1, "a": 2, "b": 3, "\u2581a": 4, "\u2581b": 5,
              "<0xC3>": 6, "<0xA9>": 7}, "unk_token": "<unk>",
    "merges": ["\u2581 a", "\u2581 b"]},
    "pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "first",
                      "split": false},
    "decoder": {"type": "Sequence", "decoders": [
      {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "},
      {"type": "ByteFallback"}, {"type": "Fuse"},
      {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}})",
                              "test");
}

TEST(TokenTexts, LeaveOutTheFirstSpaceAtTheStart) {
  const auto tokenizer = words_with_bytes();
  EXPECT_THAT(shown(*tokenizer, {4, 5, 3}), ElementsAre("a", " b", "b"));
  EXPECT_THAT(shown(*tokenizer, {4, 5}, /*is_start=*/false), ElementsAre(" a", " b"));
}

TEST(TokenTexts, JoinBytesThatStandForACharacter) {
  const auto tokenizer = words_with_bytes();
  EXPECT_THAT(shown(*tokenizer, {4, 6, 7, 5}), ElementsAre("a", "\xc3\xa9/2", " b"));
  EXPECT_THAT(shown(*tokenizer, {4, 6, 5}), ElementsAre("a", "\xc3", " b"));
}

TEST(Escaped, MakesAnyBytesSafeToPrint) {
  EXPECT_EQ(escaped("caf\xc3\xa9 \xf0\x9f\x98\x80"), "caf\xc3\xa9 \xf0\x9f\x98\x80");
  EXPECT_EQ(escaped("\x1b[2J\n\t\x7f"), "\\x1b[2J\\x0a\\x09\\x7f");
  EXPECT_EQ(escaped("a\nb\tc", "\n"), "a\nb\\x09c");
  EXPECT_EQ(escaped("\xc2\x9b"), "\\x9b") << "a control character of 8 bits";
  EXPECT_EQ(escaped("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(escaped("\xe2\x80\xae"), "\\u202e") << "would write the rest from right to left";
  EXPECT_EQ(escaped(std::string_view("\0", 1)), "\\x00");
}

}  // namespace
}  // namespace meshwright::tokenizers
