// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/data/records/records_testutil.h"
#include "meshwright/data/survey/survey_testutil.h"
#include "meshwright/data/survey/verify_corpus.h"
#include "meshwright/tokenizers/open/number_tokenizer.h"

namespace meshwright::data {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class VerifyTokensTest : public testing::Test {
 protected:
  static VerifiedCorpus verify(const TokensConfig& config, const VerifyOptions& options = {}) {
    return verify_corpus(config, nullptr, options);
  }
  std::string write(const std::string& name,
                    TokenFormat format,
                    const TokenWriterOptions& options = {.vocab_size = 1000}) const {
    return write_documents(folder.path(name), format, some_documents(200), options);
  }
  static void damage(const fs::path& path, const std::function<void(std::string&)>& change) {
    std::string bytes = file_text(path);
    change(bytes);
    std::ofstream(path, std::ios::binary) << bytes;
  }

  DataFolder folder;
};

TEST_F(VerifyTokensTest, FindsNothingWrongWithGoodFilesOfAnyFormat) {
  for (const TokenFormat format : kAllTokenFormats) {
    const std::string name(token_format_name(format));
    TokensConfig config = tokens_of(write(name, format));
    config.format = format;
    if (format == TokenFormat::raw) config.dtype = RawDType::u16;
    const VerifiedCorpus found = verify(config);
    EXPECT_EQ(found.num_files, 1) << name;
    EXPECT_EQ(found.num_tokens, 15 * 91 + 15) << name;
    EXPECT_EQ(found.num_flaws, 0) << name;
    EXPECT_TRUE(found.remarks.empty()) << name;
  }
}

TEST_F(VerifyTokensTest, PlacesTokensOutsideTheVocabulary) {
  TokensConfig config = tokens_of(write_documents(folder.path("a"), TokenFormat::megatron,
                                                  {{1, 2}, {3, 900, 901}, {4}, {5, 902}}));
  config.vocab = 900;
  const VerifiedCorpus found = verify(config);
  EXPECT_EQ(found.num_documents, 4);
  ASSERT_EQ(found.num_flaws, 2) << "one of each document";
  EXPECT_EQ(found.flaws[0].file, folder.path("a.bin"));
  EXPECT_EQ(found.flaws[0].record, 1);
  EXPECT_EQ(found.flaws[0].offset, 2 * 3);
  EXPECT_EQ(found.flaws[0].what, "token 1 has the id 900, which is not below 900, data.vocab");
  EXPECT_EQ(found.flaws[1].record, 3);
  EXPECT_EQ(verify(config, {.max_flaws = 1}).flaws.size(), 1);
  config.vocab = {};
  EXPECT_EQ(verify(config).num_flaws, 0);
  EXPECT_THAT(verify(config, {.vocab_size = 902}).flaws.at(0).what,
              HasSubstr("902, the size of the model's vocabulary"));
  EXPECT_THAT(verify_corpus(config, tokenizers::number_tokenizer(5), {}).flaws.at(1).what,
              HasSubstr("the size of the tokenizer's vocabulary"));
}

TEST_F(VerifyTokensTest, FindsValuesThatAreNoIds) {
  TokensConfig config =
      tokens_of(folder.write("a.bin", std::string("\1\0\0\0\xff\xff\xff\xff", 8)));
  config.dtype = RawDType::s32;
  const VerifiedCorpus found = verify(config);
  ASSERT_EQ(found.num_flaws, 1);
  EXPECT_EQ(found.flaws[0].offset, 4);
  EXPECT_EQ(found.flaws[0].what, "token 1 is negative or above 2147483647");
}

TEST_F(VerifyTokensTest, GoesOnAfterAFileThatCannotBeOpened) {
  TokensConfig config = tokens_of(write("a.bin", TokenFormat::llmc));
  config.path.push_back(write("b.npy", TokenFormat::npy));
  config.path.push_back(write("c", TokenFormat::megatron));
  config.path.push_back(write("d.bin", TokenFormat::llmc));
  damage(config.path[0], [](std::string& bytes) { bytes.pop_back(); });
  damage(config.path[1], [](std::string& bytes) { bytes[20] = '@'; });
  fs::remove(folder.path("c.bin"));
  const VerifiedCorpus found = verify(config);
  EXPECT_EQ(found.num_files, 4);
  EXPECT_EQ(found.num_documents, 1) << "of the last file";
  ASSERT_EQ(found.num_flaws, 3);
  EXPECT_EQ(found.flaws[0].file, config.path[0]);
  EXPECT_EQ(found.flaws[1].file, config.path[1]);
  EXPECT_THAT(found.flaws[2].what, HasSubstr("c.bin does not exist"));
}

TEST_F(VerifyTokensTest, ChecksTheChecksumsOfArchives) {
  const std::string path = write("a.npz", TokenFormat::npz);
  damage(path, [](std::string& bytes) { bytes[bytes.size() / 2] ^= 1; });
  const VerifiedCorpus found = verify(tokens_of(path));
  ASSERT_EQ(found.num_flaws, 1);
  EXPECT_THAT(found.flaws[0].what, AllOf(HasSubstr("a.npz"), HasSubstr("checksum mismatch")));
}

class VerifyFlatTokensTest : public VerifyTokensTest {
 protected:
  std::string write_flat(const std::vector<std::vector<std::uint32_t>>& documents,
                         const std::string& split = "train",
                         const std::string& name = "flat") const {
    return write_documents(folder.path(name), TokenFormat::flat_tokens, documents,
                           {.vocab_size = 1000, .split = split, .chunk_tokens = 5000});
  }
};

TEST_F(VerifyFlatTokensTest, FindsEveryDamagedChunk) {
  const std::string path = write_flat(some_documents(3000));
  const fs::path tokens = fs::path(path) / "train/encoded_tokens";
  for (const char* chunk : {"1", "3"})
    damage(tokens / chunk, [](std::string& bytes) { bytes.resize(bytes.size() / 2); });
  const VerifiedCorpus found = verify(tokens_of(path));
  EXPECT_EQ(found.num_documents, 3000);
  EXPECT_GE(found.num_tokens, 5000) << "those of good chunks";
  ASSERT_EQ(found.num_flaws, 2);
  EXPECT_THAT(found.flaws[0].what, HasSubstr((tokens / "1").string()));
  EXPECT_THAT(found.flaws[1].what, HasSubstr((tokens / "3").string()));
}

TEST_F(VerifyFlatTokensTest, ComparesTheTwoPlacesThatSayWhereSequencesBegin) {
  const std::string path = write_flat({{1, 2, 3}, {4, 5, 6}});
  const std::string other = write_flat({{1, 2}, {3, 4, 5, 6}}, "train", "other");
  const fs::path starts = fs::path(path) / "train/seq_starts";
  fs::remove_all(starts);
  fs::copy(fs::path(other) / "train/seq_starts", starts);
  const VerifiedCorpus found = verify(tokens_of(path));
  ASSERT_EQ(found.num_flaws, 1);
  EXPECT_THAT(found.flaws[0].what, HasSubstr("token 2 is not marked as the first of a sequence"));
}

TEST_F(VerifyFlatTokensTest, FindsTokensAboveTheOneThatTheDataSetDeclares) {
  const std::string path = write_flat({{1, 2, 3}, {4, 5, 6}});
  damage(fs::path(path) / "train/.zattrs",
         [](std::string& text) { text.replace(text.find('6'), 1, "4"); });
  const VerifiedCorpus found = verify(tokens_of(path));
  ASSERT_EQ(found.num_flaws, 1);
  EXPECT_EQ(found.flaws[0].record, 1);
  EXPECT_THAT(found.flaws[0].what, HasSubstr("id 5, which is not below 5, max_token_id + 1"));
}

TEST_F(VerifyFlatTokensTest, ReadsTheValidationSplitThatIsHeldOut) {
  TokensConfig config = tokens_of(write_flat(some_documents(200)));
  write_flat(some_documents(200), "validation");
  EXPECT_EQ(verify(config).num_documents, 200);
  config.held_out = {};
  EXPECT_EQ(verify(config).num_documents, 400);
  EXPECT_EQ(verify(config).num_flaws, 0);
}

}  // namespace
}  // namespace meshwright::data
