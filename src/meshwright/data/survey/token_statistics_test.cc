// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/str.h"
#include "meshwright/data/core/lm_batch.h"
#include "meshwright/data/records/records_testutil.h"
#include "meshwright/data/survey/corpus_statistics.h"
#include "meshwright/data/survey/survey_testutil.h"
#include "meshwright/data/text/token_corpus.h"
#include "meshwright/tokenizers/open/open_tokenizer.h"

namespace meshwright::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TokenStatisticsTest : public testing::Test {
 protected:
  static CorpusStatistics survey(const TokensConfig& config) {
    return corpus_statistics(config, nullptr, {.seed = 7});
  }
  // A flat-tokens data set with the splits train and validation.
  std::string flat_tokens() const {
    const std::string path = folder.path("flat");
    write_documents(path, TokenFormat::flat_tokens, some_documents(300), {.vocab_size = 1000});
    return write_documents(path, TokenFormat::flat_tokens, some_documents(50),
                           {.vocab_size = 1000, .split = "validation"});
  }

  DataFolder folder;
};

TEST_F(TokenStatisticsTest, CountsTheDocumentsOfEachFile) {
  TokensConfig config = tokens_of(write_documents(folder.path("a"), TokenFormat::megatron,
                                                  {{1, 2, 3}, {}, {7, 900}, {1, 2, 3}}));
  config.path.push_back(write_documents(folder.path("b"), TokenFormat::megatron, {{1, 2, 3}, {5}}));
  const CorpusStatistics found = survey(config);
  ASSERT_EQ(found.files.size(), 2);
  EXPECT_EQ(found.files[0].path, folder.path("a.bin"));
  EXPECT_EQ(found.files[0].records, RecordCounts{.accepted = 4});
  EXPECT_EQ(
      found.files[0].documents,
      (DocumentSums{.num_documents = 4, .num_tokens = 8, .num_learnt = 8, .num_duplicates = 1}));
  EXPECT_EQ(found.files[1].documents.num_duplicates, 1) << "equals one of the other file";
  EXPECT_EQ(found.total.documents.num_documents, 6);
  EXPECT_EQ(found.total.documents.num_tokens, 12);
  EXPECT_EQ(found.max_token, 900);
  EXPECT_EQ(found.lengths.min, 0);
  EXPECT_EQ(found.lengths.max, 3);
  EXPECT_THAT(found.lengths.num_by_power, ElementsAre(2, 4));
}

TEST_F(TokenStatisticsTest, FindsDocumentsByTheirMarks) {
  TokensConfig config = tokens_of(
      write_documents(folder.path("a.npy"), TokenFormat::npy, {{5, 6, 0, 5, 6, 0, 8, 0, 1}}));
  config.end_token = 0;
  const CorpusStatistics found = survey(config);
  EXPECT_EQ(
      found.total.documents,
      (DocumentSums{.num_documents = 4, .num_tokens = 9, .num_learnt = 9, .num_duplicates = 1}));
}

// Documents that are longer than what is read at once.
TEST_F(TokenStatisticsTest, ComparesLongDocuments) {
  std::vector<std::uint32_t> document(700'000);
  for (std::size_t i = 0; i < document.size(); ++i)
    document[i] = static_cast<std::uint32_t>(i * i % 997);
  std::vector<std::uint32_t> other = document;
  other[600'000] ^= 1;
  const CorpusStatistics found = survey(tokens_of(
      write_documents(folder.path("a"), TokenFormat::megatron, {document, other, {5}, document})));
  EXPECT_EQ(found.total.documents.num_documents, 4);
  EXPECT_EQ(found.total.documents.num_duplicates, 1);
}

TEST_F(TokenStatisticsTest, CountsDocumentsWithTokensOutsideTheVocabulary) {
  TokensConfig config = tokens_of(
      write_documents(folder.path("a"), TokenFormat::megatron, {{1, 2}, {900, 3, 900}, {4, 10}}));
  config.vocab = 11;
  EXPECT_EQ(survey(config).total.records, (RecordCounts{.accepted = 2, .corrupt = 1}));
  config.vocab = 10;
  EXPECT_EQ(survey(config).total.records, (RecordCounts{.accepted = 1, .corrupt = 2}));
}

TEST_F(TokenStatisticsTest, CountsUnknownTokens) {
  const std::string tokenizer = folder.write("words.json", R"({"model": {"type": "WordLevel",
    "vocab": {"<unk>": 0, "a": 1, "b": 2}, "unk_token": "<unk>"},
    "pre_tokenizer": {"type": "Whitespace"}})");
  const TokensConfig config = tokens_of(
      write_documents(folder.path("a"), TokenFormat::megatron, {{0, 1, 2}, {0}, {1, 2, 1}}));
  const DocumentSums sums =
      corpus_statistics(config, tokenizers::open_tokenizer(tokenizer)).total.documents;
  EXPECT_EQ(sums.num_unknown, 2);
}

// Counts what a run trains on and holds out.
TEST_F(TokenStatisticsTest, PredictsTheRowsOfARun) {
  TokensConfig config =
      tokens_of(write_documents(folder.path("a"), TokenFormat::megatron, some_documents(400)));
  config.rows = RowKind::packed;
  config.length = 32;
  config.batch_size = 1;
  config.num_epochs = 1;
  config.held_out = 0.1;
  const CorpusStatistics found = survey(config);
  const TextCorpusPtr corpus = open_token_corpus(config, 7, folder.path("run"), DataUse::batches);
  const SourcePtr source = corpus->training();
  ASSERT_TRUE(found.rows.has_value());
  ASSERT_EQ(found.rows->num_rows, source->num_batches());
  std::int64_t num_in_rows = 0;
  for (std::int64_t step = 0; step < found.rows->num_rows; ++step)
    for (const RowPart& part : source->row_parts(step, 0))
      num_in_rows += part.length;
  EXPECT_EQ(found.rows->num_tokens - found.rows->num_padding, num_in_rows);
  EXPECT_GT(found.rows->num_padding, 0);
  EXPECT_EQ(found.held_out.num_documents, corpus->documents().held_out->num_documents());
  EXPECT_EQ(found.held_out.num_tokens, num_tokens(*corpus->documents().held_out));
}

TEST_F(TokenStatisticsTest, HoldsOutTheValidationSplit) {
  TokensConfig config = tokens_of(flat_tokens());
  config.held_out = {};
  const CorpusStatistics found = survey(config);
  EXPECT_EQ(found.total.documents.num_documents, 300);
  EXPECT_EQ(found.held_out.num_documents, 50);
  EXPECT_EQ(found.held_out.num_tokens, 3 * 91 + 66) << "lengths from 1 to 13, and 1 to 11";
  EXPECT_GT(found.rows.value().num_rows, 0);
}

TEST_F(TokenStatisticsTest, PredictsTheRowsOfSeqaxsLoader) {
  TokensConfig config = tokens_of(flat_tokens());
  config.seqax = {.seed = 3, .sequences_per_read_block = 8};
  config.batch_size = 8;
  config.length = 10;
  for (const RowKind rows : {RowKind::concatenated, RowKind::single}) {
    config.rows = rows;
    const TextCorpusPtr corpus = open_token_corpus(config, 7, folder.path("run"), DataUse::batches);
    const SourcePtr source = seqax_training(config, *corpus, 7, DataUse::batches);
    double num_targets = 0;
    for (std::int64_t step = 0; step < source->num_batches(); ++step) {
      const Batch batch = whole_batch(*source, step);
      for (const float weight : batch.at(kWeights).value().values<float>())
        num_targets += weight;
    }
    const RowStatistics found = survey(config).rows.value();
    EXPECT_EQ(found.num_rows, *source->num_batches() * 8);
    EXPECT_EQ(static_cast<double>(found.num_tokens - found.num_padding), num_targets);
  }
}

TEST_F(TokenStatisticsTest, SaysWhyThereAreNoRows) {
  const CorpusStatistics found =
      survey(tokens_of(write_documents(folder.path("a"), TokenFormat::megatron, {{1, 2}})));
  EXPECT_FALSE(found.rows.has_value());
  EXPECT_THAT(found.no_rows, HasSubstr("fewer than the 5 of a row"));
}

}  // namespace
}  // namespace meshwright::data
