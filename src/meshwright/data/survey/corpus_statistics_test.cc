// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/survey/corpus_statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/str.h"
#include "meshwright/data/core/lm_batch.h"
#include "meshwright/data/records/records_testutil.h"
#include "meshwright/data/text/text_corpus.h"
#include "meshwright/tokenizers/open/byte_tokenizer.h"
#include "meshwright/tokenizers/open/open_tokenizer.h"

namespace meshwright::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class CorpusStatisticsTest : public testing::Test {
 protected:
  TextConfig config(const std::vector<std::string>& paths) const {
    TextConfig out;
    out.path.assign(paths.begin(), paths.end());
    out.held_out = 0;
    out.length = 8;
    out.tokenizer_threads = 2;
    out.cache = folder.path("cache");
    return out;
  }
  static CorpusStatistics survey(const TextConfig& config) {
    return corpus_statistics(config, tokenizers::byte_tokenizer(), {.seed = 7, .num_threads = 2});
  }
  static std::string record(const std::string& text) { return str(R"({"text": ")", text, "\"}\n"); }

  DataFolder folder;
};

TEST_F(CorpusStatisticsTest, CountsTheRecordsOfEachFile) {
  const std::string a = folder.write(
      "a.jsonl", record("hello") + record("d\xc3\xa9j\xc3\xa0") + "{\n" + record("hello") + "[]\n");
  const std::string b = folder.write("b.jsonl", record("hello") + record("x"));
  const CorpusStatistics found = survey(config({a, b}));
  ASSERT_EQ(found.files.size(), 2);
  EXPECT_EQ(found.files[0].path, a);
  EXPECT_EQ(found.files[0].records, (RecordCounts{.accepted = 3, .corrupt = 2}));
  EXPECT_EQ(found.files[0].documents, (DocumentSums{.num_documents = 3,
                                                    .num_bytes = 5 + 6 + 5,
                                                    .num_characters = 5 + 4 + 5,
                                                    .num_tokens = 6 + 7 + 6,  // with EOS
                                                    .num_learnt = 6 + 7 + 6,
                                                    .num_duplicates = 1}));
  EXPECT_EQ(found.files[1].documents.num_duplicates, 1) << "equals one of the other file";
  EXPECT_EQ(found.total.documents.num_documents, 5);
  EXPECT_EQ(found.total.documents.num_tokens, 19 + 6 + 2);
  EXPECT_EQ(found.total.records, (RecordCounts{.accepted = 5, .corrupt = 2}));
}

TEST_F(CorpusStatisticsTest, CountsWhatFiltersOmit) {
  TextConfig settings =
      config({folder.write("a.jsonl", record("a") + record("bbb") + R"({"text": "bbb", "id": 5})" +
                                          "\n" + record("bbbbb"))});
  settings.filter = {.min_bytes = 2, .max_bytes = 4};
  settings.where = {{"id", "5"}};
  const RecordCounts counts = survey(settings).total.records;
  EXPECT_EQ(counts.accepted, 1);
  EXPECT_EQ(counts.too_short + counts.too_long + counts.unequal, 3);
}

TEST_F(CorpusStatisticsTest, DescribesTheLengthsOfDocuments) {
  std::string text;
  for (int i = 1; i <= 100; ++i)
    text += std::string(static_cast<std::size_t>(i), 'x') + "\n";
  TextConfig settings = config({folder.write("a.txt", text)});
  settings.split = TextSplit::lines;
  settings.add_eos = false;
  const LengthStatistics lengths = survey(settings).lengths;
  EXPECT_EQ(lengths.min, 1);
  EXPECT_EQ(lengths.p5, 5);
  EXPECT_EQ(lengths.median, 50);
  EXPECT_EQ(lengths.p95, 95);
  EXPECT_EQ(lengths.max, 100);
  EXPECT_THAT(lengths.num_by_power, ElementsAre(1, 2, 4, 8, 16, 32, 37));
}

TEST_F(CorpusStatisticsTest, ReadsPlainFilesInPlace) {
  TextConfig settings = config({folder.write("a.txt", "na\xc3\xafve"), folder.write("b.txt", "b"),
                                folder.write("c.txt", "na\xc3\xafve")});
  settings.max_record_bytes = 2;  // a document of bytes may be longer
  const CorpusStatistics found = survey(settings);
  EXPECT_EQ(found.total.documents, (DocumentSums{.num_documents = 3,
                                                 .num_bytes = 13,
                                                 .num_characters = 11,
                                                 .num_tokens = 16,
                                                 .num_learnt = 16,
                                                 .num_duplicates = 1}));
  EXPECT_EQ(found.files[2].documents.num_duplicates, 1);
}

TEST_F(CorpusStatisticsTest, CountsUnknownTokens) {
  const std::string tokenizer = folder.write("words.json", R"({"model": {"type": "WordLevel",
    "vocab": {"<unk>": 0, "a": 1, "b": 2}, "unk_token": "<unk>"},
    "pre_tokenizer": {"type": "Whitespace"}})");
  const TextConfig settings = config({folder.write("a.jsonl", record("a b c") + record("d a"))});
  const CorpusStatistics found = corpus_statistics(settings, tokenizers::open_tokenizer(tokenizer));
  EXPECT_EQ(found.total.documents.num_tokens, 5);
  EXPECT_EQ(found.total.documents.num_unknown, 2);
}

TEST_F(CorpusStatisticsTest, CountsTheTokensThatAreLearnt) {
  TextConfig settings = config({folder.write("a.jsonl", R"({"prompt": "abc", "completion": "de"})"
                                                        "\n")});
  settings.prompts.emplace();
  const DocumentSums sums = survey(settings).total.documents;
  EXPECT_EQ(sums.num_bytes, 5);
  EXPECT_EQ(sums.num_tokens, 6);
  EXPECT_EQ(sums.num_learnt, 3) << "de EOS";
}

// Counts the padding in the batches of a run, and what it holds out.
TEST_F(CorpusStatisticsTest, PredictsTheRowsOfARun) {
  std::string text;
  for (int i = 0; i < 400; ++i)
    text += record(std::string(static_cast<std::size_t>(i * i % 37), 'x') + str(i));
  TextConfig settings = config({folder.write("a.jsonl", text)});
  settings.rows = RowKind::packed;
  settings.context = Context::document;
  settings.length = 32;
  settings.batch_size = 1;
  settings.num_epochs = 1;
  settings.held_out = 0.1;
  const CorpusStatistics found = survey(settings);
  ASSERT_TRUE(found.rows.has_value());

  const auto corpus =
      std::make_shared<const TextCorpus>(settings, 7, folder.path("run"), DataUse::batches);
  const SourcePtr source = corpus->training();
  EXPECT_EQ(found.rows->num_rows, source->num_batches());
  EXPECT_EQ(found.held_out.num_documents, corpus->documents().held_out->num_documents());
  EXPECT_EQ(found.held_out.num_tokens, num_tokens(*corpus->documents().held_out));
  EXPECT_EQ(found.rows->num_tokens, found.rows->num_rows * 33);
  // Inputs that are padding. A row without any may still lack its last target.
  std::int64_t num_padding = 0, num_full = 0;
  for (std::int64_t step = 0; step < found.rows->num_rows; ++step) {
    const Batch batch = whole_batch(*source, step);
    const auto segments = batch.at(kSegments).value().values<std::int32_t>();
    const std::int64_t inputs = std::ranges::count(segments, 0);
    num_padding += inputs > 0 ? inputs + 1 : 0;
    num_full += inputs == 0;
  }
  EXPECT_GE(found.rows->num_padding, num_padding);
  EXPECT_LE(found.rows->num_padding, num_padding + num_full);
}

TEST_F(CorpusStatisticsTest, SaysWhyThereAreNoRows) {
  const CorpusStatistics found = survey(config({folder.write("a.jsonl", record("a"))}));
  EXPECT_FALSE(found.rows.has_value());
  EXPECT_THAT(found.no_rows, HasSubstr("fewer than the 9 of a row"));
}

}  // namespace
}  // namespace meshwright::data
