// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/survey/verify_corpus.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/data/records/records_testutil.h"
#include "meshwright/data/text/open_text.h"
#include "meshwright/tokenizers/open/byte_tokenizer.h"
#include "meshwright/tokenizers/open/open_tokenizer.h"

namespace meshwright::data {
namespace {

using testing::HasSubstr;

class VerifyCorpusTest : public testing::Test {
 protected:
  static TextConfig config(const std::string& path) {
    TextConfig out;
    out.path = {path};
    out.held_out = 0;
    out.length = 4;
    return out;
  }
  static VerifiedCorpus verify(const TextConfig& config, const VerifyOptions& options = {}) {
    return verify_corpus(config, tokenizers::byte_tokenizer(), options);
  }

  DataFolder folder;
};

TEST_F(VerifyCorpusTest, FindsNothingWrongWithGoodFiles) {
  const VerifiedCorpus found =
      verify(config(folder.write("a.jsonl", "{\"text\": \"abcd\"}\n{\"text\": \"efg\"}\n")));
  EXPECT_EQ(found.num_files, 1);
  EXPECT_EQ(found.num_documents, 2);
  EXPECT_EQ(found.num_tokens, 7);
  EXPECT_EQ(found.num_flaws, 0);
  EXPECT_TRUE(found.remarks.empty());
}

TEST_F(VerifyCorpusTest, ListsEveryCorruptRecordWithItsPlace) {
  const std::string path = folder.write(
      "a.jsonl",
      "{\"text\": \"abcd\"}\n{\n{\"text\": 5}\n{\"text\": \"\xff\"}\n{\"text\": \"b\"}\n");
  TextConfig settings = config(path);
  settings.skip_corrupt = 1;
  const VerifiedCorpus found = verify(settings);
  EXPECT_EQ(found.num_documents, 2);
  ASSERT_EQ(found.num_flaws, 3);
  std::int64_t offset = 17;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found.flaws[i].file, path);
    EXPECT_EQ(found.flaws[i].record, static_cast<std::int64_t>(i) + 1);
    EXPECT_EQ(found.flaws[i].offset, offset);
    EXPECT_FALSE(found.flaws[i].what.empty());
    offset += i == 0 ? 2 : 12;
  }
}

TEST_F(VerifyCorpusTest, ListsOnlyTheFirstFlaws) {
  const std::string path = folder.write("a.jsonl", "{\n{\n{\n{\n{\"text\": \"abcdef\"}\n");
  const VerifiedCorpus found = verify(config(path), {.max_flaws = 3});
  EXPECT_EQ(found.num_flaws, 4);
  EXPECT_EQ(found.flaws.size(), 3);
}

TEST_F(VerifyCorpusTest, FindsRecordsThatTheEncoderRejects) {
  TextConfig settings = config(folder.write(
      "a.jsonl",
      R"({"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]})"
      "\n"
      R"({"messages": [{"role": "user", "content": "a"}]})"
      "\n"));
  settings.chat = ChatConfig{.chat_template = ChatTemplate::vicuna};
  const VerifiedCorpus found = verify(settings);
  EXPECT_EQ(found.num_documents, 1);
  ASSERT_EQ(found.num_flaws, 1);
  EXPECT_EQ(found.flaws[0].record, 1);
}

TEST_F(VerifyCorpusTest, FindsTokensThatTheModelLacks) {
  const std::string path = folder.write("a.jsonl", "{\"text\": \"abcd\"}\n{\"text\": \"z\"}\n");
  const VerifiedCorpus found = verify(config(path), {.vocab_size = 'e'});
  ASSERT_EQ(found.num_flaws, 1);
  EXPECT_EQ(found.flaws[0].record, 1);
  EXPECT_THAT(found.flaws[0].what, HasSubstr("token 122 is not below"));
}

TEST_F(VerifyCorpusTest, FindsDamagedCompression) {
  std::string compressed = gzipped(std::string(200'000, 'x') + "\n");
  compressed[compressed.size() / 2] ^= 0x55;
  TextConfig settings = config(folder.write("a.txt.gz", compressed));
  settings.split = TextSplit::lines;
  EXPECT_EQ(verify(settings).num_flaws, 1);
}

TEST_F(VerifyCorpusTest, RemarksOnBytesThatAreNotText) {
  const std::string path = folder.write("a.txt",
                                        "abc\xe4\xb8\xad\xff"
                                        "defghi");
  const VerifiedCorpus found = verify(config(path));
  EXPECT_EQ(found.num_flaws, 0);
  ASSERT_EQ(found.remarks.size(), 1);
  EXPECT_EQ(found.remarks[0].offset, 6);
  EXPECT_TRUE(verify(config(folder.write("b.txt", "abc\xe4\xb8\xad"))).remarks.empty());
  EXPECT_EQ(verify(config(folder.write("c.txt", "abcdefg\xe4\xb8"))).remarks[0].offset, 7);
}

TEST_F(VerifyCorpusTest, NoticesAFileThatChanges) {
  const std::string path = folder.write("a.jsonl", "{\"text\": \"abcdef\"}\n");
  const VerifiedCorpus found =
      verify(config(path), {.progress = [&](const std::string&, std::int64_t) {
               std::ofstream(path, std::ios::app) << "x";
             }});
  ASSERT_EQ(found.num_flaws, 1);
  EXPECT_EQ(found.flaws[0].file, path);
}

TEST_F(VerifyCorpusTest, ReadsTheTokenCache) {
  TextConfig settings = config(folder.write("a.jsonl", "{\"text\": \"abcdefgh\"}\n"));
  settings.cache = folder.path("cache");
  const VerifyOptions options = {.caches = folder.path("cache")};
  EXPECT_EQ(verify(settings, options).num_caches, 0) << "there is none yet";

  open_text(settings, settings.path, tokenizers::byte_tokenizer(), folder.path("run"));
  VerifiedCorpus found = verify(settings, options);
  EXPECT_EQ(found.num_caches, 1);
  EXPECT_EQ(found.num_flaws, 0);
  EXPECT_EQ(verify(settings).num_caches, 0) << "it was not asked for";

  const std::filesystem::path cache =
      std::filesystem::directory_iterator(folder.path("cache"))->path();
  std::fstream(cache / "00000.tokens", std::ios::binary | std::ios::in | std::ios::out) << 'X';
  found = verify(settings, options);
  ASSERT_EQ(found.num_flaws, 1);
  EXPECT_EQ(found.flaws[0].file, cache.string());
  EXPECT_THAT(found.flaws[0].what, HasSubstr("00000.tokens"));
  EXPECT_THAT(found.damaged_caches, testing::ElementsAre(cache.string()));

  std::filesystem::remove(cache / "meta.json");
  found = verify(settings, options);
  EXPECT_EQ(found.num_flaws, 0);
  EXPECT_THAT(found.remarks.at(0).what, HasSubstr("is not complete"));
}

TEST_F(VerifyCorpusTest, ThrowsForAFileThatIsMissing) {
  EXPECT_THAT(coded_message_of([&] { verify(config(folder.path("none.txt"))); }),
              HasSubstr("not found"));
}

}  // namespace
}  // namespace meshwright::data
