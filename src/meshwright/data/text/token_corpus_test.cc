// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/text/token_corpus.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/error.h"
#include "meshwright/base/str.h"
#include "meshwright/base/temporary_folder_testutil.h"
#include "meshwright/data/core/lm_batch.h"
#include "meshwright/data/core/source_testutil.h"
#include "meshwright/data/token_files/flat_tokens.h"
#include "meshwright/data/token_files/seqax_source.h"
#include "meshwright/data/token_files/token_files_testutil.h"

namespace meshwright::data {
namespace {

using testing::ElementsAre;
using testing::Optional;

using Ids = std::vector<std::uint32_t>;

constexpr std::uint32_t kEnd = 99;

class TokenCorpusTest : public testing::Test {
 protected:
  // Writes documents of `length` tokens that begin with `first`, first + 1, ... and end with kEnd.
  std::string write(const std::string& name,
                    TokenFormat format,
                    std::uint32_t first,
                    const TokenWriterOptions& options = {.vocab_size = 100}) const {
    std::vector<Ids> documents;
    for (std::uint32_t i = 0; i < 40; ++i)
      documents.push_back({first + i, 1, 2, 3, 4, 5, kEnd});
    return write_documents((folder_.path() / name).string(), format, documents, options);
  }
  static TokensConfig config(const std::string& path) {
    TokensConfig out;
    out.path = {path};
    out.batch_size = 4;
    out.length = 16;
    return out;
  }
  TextCorpusPtr open(const TokensConfig& config, DataUse use = DataUse::batches) const {
    return open_token_corpus(config, 7, (folder_.path() / "run").string(), use);
  }

  TemporaryFolder folder_;
};

TEST_F(TokenCorpusTest, TrainsOnFilesThatStoreDocuments) {
  TokensConfig settings = config(write("corpus", TokenFormat::megatron, 10));
  settings.held_out = 0;
  const TextCorpusPtr corpus = open(settings);
  EXPECT_EQ(corpus->documents().training->num_documents(), 40);
  expect_pure(*corpus->training(), 3);
}

TEST_F(TokenCorpusTest, MarksTellDocumentsApart) {
  TokensConfig settings = config(write("corpus.npy", TokenFormat::npy, 10));
  settings.held_out = 0;
  EXPECT_EQ(open(settings)->documents().training->num_documents(), 1);
  settings.end_token = kEnd;
  EXPECT_EQ(open(settings)->documents().training->num_documents(), 40);
  settings.end_token.reset();
  settings.begin_token = 1;
  EXPECT_EQ(open(settings)->documents().training->num_documents(), 41);
}

TEST_F(TokenCorpusTest, ReadsAFileInTheFormatThatIsNamed) {
  TokensConfig settings = config(write("corpus.npy", TokenFormat::npy, 10));
  settings.held_out = 0;
  EXPECT_EQ(num_tokens(*open(settings)->documents().training), 280);
  settings.format = TokenFormat::raw;
  settings.dtype = RawDType::u16;
  settings.vocab = 65536;
  EXPECT_EQ(num_tokens(*open(settings)->documents().training), 280 + 64) << "with the header";
}

TEST_F(TokenCorpusTest, HoldsOutDocumentsOrReadsTheValidationSplit) {
  TokensConfig settings = config(write("corpus", TokenFormat::megatron, 10));
  settings.held_out = 0.2;
  const Split split = open(settings)->documents();
  EXPECT_GT(num_tokens(*split.held_out), 20);
  EXPECT_EQ(num_tokens(*split.held_out) + num_tokens(*split.training), 280);

  write("flat", TokenFormat::flat_tokens, 10);
  settings = config(
      write("flat", TokenFormat::flat_tokens, 50, {.vocab_size = 100, .split = "validation"}));
  const auto first_token = [](const DocumentsPtr& documents) {
    return whole_document(*documents, 0).front();
  };
  EXPECT_EQ(first_token(open(settings)->documents().training), 10);
  EXPECT_EQ(first_token(open(settings)->documents().held_out), 50);
  EXPECT_GT(open(settings)->evaluation({})->num_batches().value_or(0), 0);
  settings.split = "validation";
  EXPECT_EQ(first_token(open(settings)->documents().training), 50);
}

TEST_F(TokenCorpusTest, TheLargestTokenDecidesTheVocabularyUnlessItIsGiven) {
  TokensConfig settings = config(write("corpus", TokenFormat::megatron, 10));
  EXPECT_EQ(open(settings)->tokenizer().vocab_size(), 100);
  settings.vocab = 128;
  EXPECT_EQ(open(settings)->tokenizer().vocab_size(), 128);
  settings.vocab = 99;
  settings.held_out = 0;
  EXPECT_THAT([&] { whole_batch(*open(settings)->training(), 0); },
              throws_with("corpus.bin: token 99 at position "));
}

TEST_F(TokenCorpusTest, ATokenizerGivesTextAndItsVocabulary) {
  TokensConfig settings = config(write("corpus", TokenFormat::megatron, 10));
  EXPECT_THAT(open(settings)->codec().encode("5 17"), ElementsAre(5, 17));
  const std::string path = (folder_.path() / "words.json").string();
  std::ofstream(path) << R"({"model": {"type": "BPE",
    "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}})";
  settings.tokenizer = path;
  EXPECT_EQ(open(settings)->tokenizer().vocab_size(), 3);
  EXPECT_THAT(open(settings)->codec().encode("abab"), ElementsAre(2, 2));
  EXPECT_THAT([&] { whole_batch(*open(settings)->training(), 0); },
              throws_with("size of the vocabulary, 3"))
      << "the files were made with another tokenizer";
}

TEST_F(TokenCorpusTest, EvaluatesOnOtherFilesOfAnyFormat) {
  const TextCorpusPtr corpus = open(config(write("a.npy", TokenFormat::npy, 10)));
  const std::string paths[] = {
      write("other", TokenFormat::megatron, 20),
      write("flat", TokenFormat::flat_tokens, 20, {.vocab_size = 100, .split = "validation"})};
  for (const std::string& path : paths) {
    const SourcePtr source = corpus->evaluation({.path = {path}, .batch_size = 2});
    EXPECT_EQ(ints(source->batch(0, {0, 1}), kInputs).size(), 16);
  }
}

TEST_F(TokenCorpusTest, WithoutATokenizerThereIsNoText) {
  const TextCodec codec = open(config(write("a.npy", TokenFormat::npy, 10)))->codec();
  EXPECT_EQ(codec.token_sizes, nullptr);
  EXPECT_EQ(codec.find_token, nullptr);
}

TEST_F(TokenCorpusTest, KeepsWhichOfManyDocumentsAreHeldOut) {
  TokensConfig settings = config((folder_.path() / "many.npy").string());
  settings.end_token = kEnd;
  const auto out = open_token_writer(settings.path[0], TokenFormat::npy, {.vocab_size = 100});
  for (std::uint32_t i = 0; i < 1 << 16; ++i)
    out->add_document(Ids{i % kEnd, i / kEnd % kEnd, i / (kEnd * kEnd), kEnd});
  out->finish();
  EXPECT_GT(open(settings)->documents().held_out->num_documents(), 3000);
  const std::filesystem::path index = folder_.path() / "token_cache" / "index";
  ASSERT_TRUE(std::filesystem::exists(index));
  EXPECT_FALSE(std::filesystem::is_empty(index));
}

TEST_F(TokenCorpusTest, AChangedFileIsNamed) {
  TokensConfig settings = config(write("a.npy", TokenFormat::npy, 10));
  settings.path.push_back(write("b.npy", TokenFormat::npy, 20));
  const Tree<Scalar> before = open(settings)->training()->identity();
  EXPECT_EQ(open(settings)->training()->changes_since(before), "");
  std::filesystem::remove(settings.path[1]);
  write("b.npy", TokenFormat::npy, 30);
  const SourcePtr changed = open(settings)->training();
  EXPECT_NE(changed->identity(), before);
  EXPECT_THAT(changed->changes_since(before), testing::HasSubstr("b.npy"));
}

TEST_F(TokenCorpusTest, ShapesNeedNoFiles) {
  TokensConfig settings = config("/nonexistent/corpus.bin");
  settings.context = Context::document;
  const TextCorpusPtr corpus = open(settings, DataUse::spec_only);
  EXPECT_EQ(batch_size(*corpus->training()), 4);
  EXPECT_NE(corpus->training()->spec().find(kSegments), nullptr);
  EXPECT_EQ(corpus->tokenizer().vocab_size(), 0) << "unknown";
  EXPECT_THROW(open(settings), Error);
}

TEST_F(TokenCorpusTest, SeqaxDecidesTheOrder) {
  TokensConfig settings = config(write("flat", TokenFormat::flat_tokens, 10));
  settings.length = 7;
  settings.seqax = SeqaxOrderConfig{
      .streams = 2, .read_blocks_per_shuffle_buffer = 3, .sequences_per_read_block = 2};
  const SourcePtr expected =
      seqax_source(std::make_shared<const FlatTokens>(settings.path[0], "train"),
                   {.order = {.seed = 7,
                              .batch_size = 4,
                              .streams = 2,
                              .read_blocks_per_shuffle_buffer = 3,
                              .sequences_per_read_block = 2},
                    .length = 7,
                    .vocab_size = 100});
  const SourcePtr source = seqax_training(settings, *open(settings), 7, DataUse::batches);
  EXPECT_THAT(source->num_batches(), Optional(10));
  for (std::int64_t step : {0, 5, 9})
    EXPECT_TRUE(is_same(whole_batch(*source, step), whole_batch(*expected, step)));
  settings.path = {write("corpus.npy", TokenFormat::npy, 10)};
  EXPECT_THAT([&] { seqax_training(settings, *open(settings), 7, DataUse::batches); },
              throws_with("data.seqax needs one flat-tokens data set"));
}

TEST_F(TokenCorpusTest, SeqaxHoldsOutNothingOfWhatItTrainsOn) {
  TokensConfig settings = config(write("flat", TokenFormat::flat_tokens, 10));
  settings.seqax = SeqaxOrderConfig{};
  EXPECT_THAT([&] { whole_batch(*open(settings)->evaluation({}), 0); },
              throws_with("set data.held_out = 0, and give the evaluator's data a path"));
}

}  // namespace
}  // namespace meshwright::data
