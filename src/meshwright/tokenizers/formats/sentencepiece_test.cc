// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/formats/sentencepiece.h"

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/error.h"
#include "meshwright/base/str.h"

namespace meshwright::tokenizers {
namespace {

using testing::HasSubstr;

std::string number_field(int field, unsigned value) {
  return str(static_cast<char>((field << 3 & 127) | (field > 15 ? 128 : 0)),
             field > 15 ? std::string(1, static_cast<char>(field >> 4)) : "",
             static_cast<char>(value));
}

std::string bytes_field(int field, const std::string& bytes) {
  return str(static_cast<char>(field << 3 | 2), static_cast<char>(bytes.size()), bytes);
}

// `type`: 1 normal, 2 unknown, 3 control, 4 user-defined, 5 unused, 6 byte.
std::string piece(const std::string& text, float score = 0, unsigned type = 1) {
  std::string bits;
  for (int shift = 0; shift < 32; shift += 8)
    bits += static_cast<char>(std::bit_cast<std::uint32_t>(score) >> shift & 255);
  return bytes_field(
      1, str(bytes_field(1, text), static_cast<char>(2 << 3 | 5), bits, number_field(3, type)));
}

std::string trainer(unsigned type) {
  return bytes_field(2, number_field(3, type));
}

std::string small_model() {
  return str(piece("<unk>", 0, 2), piece("<s>", 0, 3), piece("</s>", 0, 3),
             piece("\xe2\x96\x81"
                   "a",
                   -1),
             piece("a", -2), piece("b", -3));
}

std::string error_of(const std::string& bytes) {
  try {
    sentencepiece_tokenizer(bytes, "x.model");
  } catch (const Error& error) {
    return str(error_code_name(error.code()), ": ", error.what());
  }
  return "";
}

TEST(SentencePiece, EncodesAndDecodes) {
  const auto tokenizer = sentencepiece_tokenizer(small_model(), "x.model");
  std::vector<Id> ids = {9};
  tokenizer->encode("a  bab", ids);
  EXPECT_EQ(ids, (std::vector<Id>{9, 3, 0, 5, 4, 5}));
  EXPECT_EQ(tokenizer->decode(std::vector<Id>{1, 3, 3, 5, 2}), "a ab");
  EXPECT_EQ(tokenizer->decode(std::vector<Id>{0}), " \xe2\x81\x87 ");
  EXPECT_EQ(tokenizer->description(), "SentencePiece unigram with 6 pieces");
  EXPECT_EQ(tokenizer->find("</s>"), 2);
  EXPECT_EQ(tokenizer->find("c"), std::nullopt);
  EXPECT_EQ(tokenizer->piece(5), "b");
  EXPECT_EQ(tokenizer->special_tokens().bos, 1);
  EXPECT_EQ(tokenizer->special_tokens().pad, std::nullopt);
}

TEST(SentencePiece, ControlPiecesInTextArePlainText) {
  const auto tokenizer = sentencepiece_tokenizer(small_model(), "x.model");
  std::vector<Id> ids;
  tokenizer->encode("a<s>a", ids);
  EXPECT_EQ(ids, (std::vector<Id>{3, 0, 4}));
}

TEST(SentencePiece, RefusesIdsOutOfRange) {
  const auto tokenizer = sentencepiece_tokenizer(small_model(), "x.model");
  EXPECT_THROW(tokenizer->decode(std::vector<Id>{6}), Error);
  EXPECT_THROW(tokenizer->decode(std::vector<Id>{-1}), Error);
  EXPECT_THROW(tokenizer->piece(6), Error);
}

TEST(SentencePiece, RefusesMalformedModels) {
  EXPECT_THAT(error_of(""), HasSubstr("data loss: SentencePiece model x.model: it has no pieces"));
  EXPECT_THAT(error_of(piece("a")), HasSubstr("no unknown piece"));
  EXPECT_THAT(error_of(small_model() + piece("a")), HasSubstr("piece 6 'a' occurs twice"));
  EXPECT_THAT(error_of(small_model() + piece("?", 0, 2)), HasSubstr("pieces 0 and 6 are both"));
  EXPECT_THAT(error_of(small_model() + piece("")), HasSubstr("piece 6 is empty"));
  EXPECT_THAT(error_of(small_model() + piece("\xff")), HasSubstr("piece 6 is not valid UTF-8"));
  EXPECT_THAT(error_of(small_model() + piece("c", std::numeric_limits<float>::infinity())),
              HasSubstr("piece 6 has score inf"));
  EXPECT_THAT(error_of(small_model() + piece(std::string("c\0", 2))),
              HasSubstr("piece 6 contains a NUL"));
  EXPECT_THAT(error_of(small_model() + piece("<0x41>", 0, 6)), HasSubstr("no byte fallback"));
  EXPECT_THAT(error_of(small_model().substr(0, small_model().size() - 1)),
              HasSubstr("data loss: SentencePiece model x"));
  EXPECT_THAT(error_of(small_model() + bytes_field(2, number_field(35, 1))),
              HasSubstr("0 of 256 byte pieces"));
}

TEST(SentencePiece, RefusesUnknownTypesByNumber) {
  EXPECT_THAT(error_of(small_model() + trainer(9)),
              HasSubstr("unimplemented: SentencePiece model x.model: the type of the model is 9"));
  EXPECT_THAT(error_of(small_model() + piece("c", 0, 7)), HasSubstr("piece 6 has type 7"));
}

TEST(SentencePiece, ThreadsGetEqualIds) {
  const auto tokenizer = sentencepiece_tokenizer(small_model() + trainer(2), "x.model");
  std::string text;
  for (int i = 0; i < 2000; ++i)
    text += i % 7 == 0 ? "b " : "ab";
  std::vector<Id> expected;
  tokenizer->encode(text, expected);
  std::vector<std::vector<Id>> ids(4);
  std::vector<std::thread> threads;
  for (std::vector<Id>& each : ids)
    threads.emplace_back([&] { tokenizer->encode(text, each); });
  for (std::thread& thread : threads)
    thread.join();
  for (const std::vector<Id>& each : ids)
    EXPECT_EQ(each, expected);
}

}  // namespace
}  // namespace meshwright::tokenizers
