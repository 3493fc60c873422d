// SPDX-License-Identifier: Apache-2.0
// Ids and text of tiny tokenizer.json files against those of the `tokenizers` library.
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"
#include "meshwright/base/json_value.h"
#include "meshwright/tokenizers/open/open_tokenizer.h"
#include "settled_texts.h"

namespace meshwright::tokenizers {
namespace {

const std::filesystem::path kFolder = GOLDEN_FOLDER;

class TokenizerJsonGolden : public testing::Test {
 protected:
  const Tokenizer& open(const std::string& name) {
    std::unique_ptr<Tokenizer>& tokenizer = tokenizers_[name];
    if (tokenizer == nullptr) tokenizer = open_tokenizer(kFolder / name);
    return *tokenizer;
  }
  const JsonValue expected_ = parse_json(file_text(kFolder / "expected"), "expected");

 private:
  std::map<std::string, std::unique_ptr<Tokenizer>> tokenizers_;
};

std::vector<Id> ids_of(const JsonValue& json) {
  std::vector<Id> out;
  for (const JsonValue& id : json.as_array())
    out.push_back(static_cast<Id>(id.as_integer()));
  return out;
}

TEST_F(TokenizerJsonGolden, EncodesAsTheLibrary) {
  for (const JsonValue& each : expected_.as_array()) {
    const std::string& file = each.at("file").as_text();
    const Tokenizer& tokenizer = open(file);
    std::vector<Id> ids = tokenizer.prefix();
    tokenizer.encode(each.at("text").as_text(), ids);
    const std::vector<Id> suffix = tokenizer.suffix();
    ids.insert(ids.end(), suffix.begin(), suffix.end());
    EXPECT_EQ(ids, ids_of(each.at("ids"))) << file << ": " << each.at("text").as_text();
  }
}

TEST_F(TokenizerJsonGolden, DecodesAsTheLibrary) {
  for (const JsonValue& each : expected_.as_array()) {
    const std::string& file = each.at("file").as_text();
    EXPECT_EQ(open(file).decode(ids_of(each.at("ids"))), each.at("decoded").as_text())
        << file << ": " << each.at("text").as_text();
  }
}

TEST_F(TokenizerJsonGolden, FurtherIdsDoNotChangeSettledText) {
  for (const auto& file : std::filesystem::directory_iterator(kFolder)) {
    if (file.path().extension() != ".json") continue;
    const std::string name = file.path().filename().string();
    EXPECT_GT(expect_settled_texts_begin_whole_texts(open(name), name), 0.2) << name;
  }
}

TEST_F(TokenizerJsonGolden, BytesOfIdsAreThoseOfTheLibrarysText) {
  std::map<std::string, int> num_compared;
  for (const JsonValue& each : expected_.as_array()) {
    const std::string& file = each.at("file").as_text();
    const std::string& decoded = each.at("decoded").as_text();
    const Tokenizer& tokenizer = open(file);
    const std::vector<Id> ids = ids_of(each.at("ids"));
    const std::optional<Id> unknown = tokenizer.special_tokens().unknown;
    if (decoded.find("\xef\xbf\xbd") != decoded.npos || std::ranges::count(ids, unknown) > 0)
      continue;
    std::string bytes;
    bool at_start = true;
    for (const Id id : ids) {
      bytes += tokenizer.bytes(id, at_start);
      at_start = at_start && tokenizer.bytes(id).empty();
    }
    // The suffix of a word is a space only between words.
    if (file == "bpe_suffix.json" && bytes.ends_with(' ')) bytes.pop_back();
    EXPECT_EQ(bytes, decoded) << file << ": " << each.at("text").as_text();
    ++num_compared[file];
  }
  EXPECT_EQ(num_compared.size(), 12u);
}

TEST_F(TokenizerJsonGolden, EverySavedCopyIsEqual) {
  const Tokenizer& tokenizer = open("wordpiece.json");
  const auto copy = tokenizer_of_content(tokenizer.saved(), "copy");
  EXPECT_EQ(tokenizer_digest(*copy), tokenizer_digest(tokenizer));
  EXPECT_NE(tokenizer_digest(*copy), tokenizer_digest(open("unigram.json")));
}

// Cutting a file anywhere must give an error, never a crash.
TEST_F(TokenizerJsonGolden, DamagedFilesAreErrors) {
  const std::string content = file_text(kFolder / "wordpiece.json");
  for (std::size_t size = 1; size < content.size(); size += 7)
    EXPECT_THROW(tokenizer_of_content(content.substr(0, size), "cut"), Error) << size;
}

TEST(TokenizerJson, NamesWhatIsNotSupported) {
  const std::string content = R"({"pre_tokenizer":{"type":"UnicodeScripts"},
      "model":{"type":"WordLevel","vocab":{"a":0},"unk_token":"a"}})";
  try {
    tokenizer_of_content(content, "x.json");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unimplemented);
    EXPECT_STREQ(error.what(), "x.json: pre_tokenizer type 'UnicodeScripts' is not supported");
  }
}

}  // namespace
}  // namespace meshwright::tokenizers
