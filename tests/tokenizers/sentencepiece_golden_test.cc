// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"
#include "meshwright/base/json_value.h"
#include "meshwright/tokenizers/formats/sentencepiece.h"
#include "settled_texts.h"

namespace meshwright::tokenizers {
namespace {

std::string read_golden(const std::string& name) {
  return file_text(std::filesystem::path(GOLDEN_FOLDER) / name);
}

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

std::vector<Id> ids_of(const JsonValue& json) {
  std::vector<Id> ids;
  for (const JsonValue& id : json.at("ids").as_array())
    ids.push_back(static_cast<Id>(id.as_integer()));
  return ids;
}

class SentencePieceGolden : public testing::TestWithParam<const char*> {
 protected:
  SentencePieceGolden()
      : bytes_(read_golden(std::string(GetParam()) + ".model")),
        tokenizer_(sentencepiece_tokenizer(bytes_, GetParam())),
        all_(parse_json(read_golden("expected.json"), "expected.json")),
        expected_(all_.at(GetParam())) {}

  std::string bytes_;
  std::unique_ptr<Tokenizer> tokenizer_;
  JsonValue all_;
  const JsonValue& expected_;
};

TEST_P(SentencePieceGolden, FurtherIdsDoNotChangeSettledText) {
  EXPECT_GT(expect_settled_texts_begin_whole_texts(*tokenizer_, GetParam()), 0.2);
}

TEST_P(SentencePieceGolden, EncodesAsTheLibrary) {
  // Twice, so that words come from the cache as well.
  for (int i = 0; i < 2; ++i) {
    for (const JsonValue& text : expected_.at("texts").as_array()) {
      std::vector<Id> ids;
      tokenizer_->encode(from_hex(text.at("hex").as_text()), ids);
      EXPECT_EQ(ids, ids_of(text)) << text.at("hex").as_text();
    }
  }
}

TEST_P(SentencePieceGolden, DecodesAsTheLibrary) {
  for (const JsonValue& text : expected_.at("texts").as_array())
    EXPECT_EQ(tokenizer_->decode(ids_of(text)), from_hex(text.at("decoded").as_text()));
  for (const JsonValue& ids : expected_.at("decoded").as_array())
    EXPECT_EQ(tokenizer_->decode(ids_of(ids)), from_hex(ids.at("hex").as_text()));
}

// Texts with U+FFFD are left out, which the library puts for unknown bytes, and texts with U+2581,
// which it takes for spaces.
TEST_P(SentencePieceGolden, BytesOfIdsAreThoseOfTheLibrarysText) {
  int num_compared = 0;
  for (const JsonValue& text : expected_.at("texts").as_array()) {
    const std::string decoded = from_hex(text.at("decoded").as_text());
    const std::vector<Id> ids = ids_of(text);
    const bool is_exact = decoded.find("\xef\xbf\xbd") == decoded.npos &&
                          from_hex(text.at("hex").as_text()).find("\xe2\x96\x81") == decoded.npos &&
                          !std::ranges::count(ids, tokenizer_->special_tokens().unknown);
    if (!is_exact) continue;
    std::string bytes;
    for (std::size_t i = 0; i < ids.size(); ++i)
      bytes += tokenizer_->bytes(ids[i], i == 0);
    EXPECT_EQ(bytes, decoded) << text.at("hex").as_text();
    ++num_compared;
  }
  EXPECT_GT(num_compared, 2);
}

TEST_P(SentencePieceGolden, HasSizeSpecialTokensAndBytesOfTheFile) {
  const auto expected = [&](const char* name) {
    const std::int64_t id = expected_.at(name).as_integer();
    return id < 0 ? std::nullopt : std::optional<Id>(static_cast<Id>(id));
  };
  EXPECT_EQ(tokenizer_->vocab_size(), expected_.at("size").as_integer());
  EXPECT_EQ(tokenizer_->special_tokens().bos, expected("bos"));
  EXPECT_EQ(tokenizer_->special_tokens().eos, expected("eos"));
  EXPECT_EQ(tokenizer_->special_tokens().pad, expected("pad"));
  EXPECT_EQ(tokenizer_->special_tokens().unknown, expected("unknown"));
  EXPECT_EQ(tokenizer_->saved(), bytes_);
}

// Opens damaged bytes and uses the tokenizer if they can be read.
void try_damaged(const std::string& bytes) {
  try {
    const auto tokenizer = sentencepiece_tokenizer(bytes, "damaged");
    std::vector<Id> ids;
    tokenizer->encode(" the e\xcc\x81\xef\xac\x81 \xe2\x96\x81 mesh\xff 12<sep>", ids);
    tokenizer->decode(ids);
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == ErrorCode::data_loss || error.code() == ErrorCode::unimplemented)
        << error.what();
  }
}

TEST_P(SentencePieceGolden, RefusesOrSurvivesDamage) {
  for (std::size_t size = 0; size < bytes_.size(); size += 1 + bytes_.size() / 60)
    try_damaged(bytes_.substr(0, size));
  for (std::size_t i = 0; i < bytes_.size(); i += 1 + bytes_.size() / 200) {
    std::string damaged = bytes_;
    damaged[i] = static_cast<char>(damaged[i] ^ (i % 2 == 0 ? 0x81 : 0x7f));
    try_damaged(damaged);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models,
    SentencePieceGolden,
    testing::Values(
        "unigram_bytes", "unigram_suffix", "bpe_bytes", "bpe_symbols", "word", "char", "rules"),
    [](const auto& model) { return std::string(model.param); });

}  // namespace
}  // namespace meshwright::tokenizers
