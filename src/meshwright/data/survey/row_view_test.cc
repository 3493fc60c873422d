// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/survey/row_view.h"

#include <algorithm>
#include <memory>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/data/core/in_memory.h"
#include "meshwright/data/core/lm_batch.h"
#include "meshwright/data/generated/sequences_config.h"
#include "meshwright/data/generated/shapes_config.h"
#include "meshwright/data/records/records_testutil.h"
#include "meshwright/data/text/text_corpus.h"

namespace meshwright::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RowViewTest : public testing::Test {
 protected:
  TextConfig config(RowKind rows, Context context) const {
    std::string records;
    for (int i = 0; i < 200; ++i)
      records +=
          str(R"({"text": ")", std::string(static_cast<std::size_t>(i * i % 23), 'x'), i, "\"}\n");
    TextConfig out;
    out.path = {folder.write("corpus.jsonl", records)};
    out.batch_size = 4;
    out.length = 40;
    out.rows = rows;
    out.context = context;
    out.cache = folder.path("cache");
    return out;
  }
  TextCorpusPtr open(const TextConfig& config) const {
    return std::make_shared<const TextCorpus>(config, 7, folder.path("run"), DataUse::batches);
  }

  DataFolder folder;
};

template <typename T>
std::vector<T> values(const Batch& batch, std::string_view array) {
  const auto all = batch.at(array).value().values<T>();
  return {all.begin(), all.end()};
}

// Requires the arrays of a batch to follow from the view of its only row.
void expect_describes(const RowView& view, const Batch& batch) {
  const auto inputs = values<std::int32_t>(batch, kInputs);
  std::vector<std::int32_t> tokens(inputs.size() + 1);
  std::vector<float> weights(inputs.size() + 1);
  std::int64_t num_tokens = 0;
  for (const ShownTokens& part : view.parts) {
    ASSERT_EQ(part.begin, num_tokens);
    for (std::size_t i = 0; i < part.tokens.size(); ++i, ++num_tokens) {
      tokens[static_cast<std::size_t>(num_tokens)] = part.tokens[i];
      weights[static_cast<std::size_t>(num_tokens)] = part.learnt[i] ? 1 : 0;
    }
  }
  EXPECT_EQ(num_tokens + view.num_padding, std::ssize(tokens));
  EXPECT_EQ(std::vector(tokens.begin(), tokens.end() - 1), inputs);
  EXPECT_EQ(std::vector(tokens.begin() + 1, tokens.end()), values<std::int32_t>(batch, kTargets));
  EXPECT_EQ(std::vector(weights.begin() + 1, weights.end()), values<float>(batch, kWeights));
  EXPECT_EQ(weights.front(), 0) << "nothing predicts the first token";
}

void expect_describes_random_rows(const Source& source, std::mt19937& random) {
  const std::int64_t num_batches = source.num_batches().value_or(1'000'000);
  for (int i = 0; i < 10; ++i) {
    const std::int64_t step = static_cast<std::int64_t>(random()) % num_batches;
    const std::int64_t row = static_cast<std::int64_t>(random()) % 4;
    const RowView view = row_view(source, step, row);
    EXPECT_EQ(view.step, step);
    EXPECT_EQ(view.row, row);
    const Batch batch = source.batch(step, {row, row + 1});
    if (!view.parts.empty()) expect_describes(view, batch);
  }
}

TEST_F(RowViewTest, DescribesTheBatchesOfARun) {
  std::mt19937 random(5);
  for (const RowKind rows : {RowKind::concatenated, RowKind::packed, RowKind::single}) {
    for (const Context context : {Context::row, Context::document}) {
      const TextCorpusPtr corpus = open(config(rows, context));
      for (const SourcePtr& source : {corpus->training(), corpus->evaluation({.batch_size = 4})}) {
        expect_describes_random_rows(*source, random);
      }
    }
  }
}

// The text of each document is found at its place in the file.
TEST_F(RowViewTest, NamesThePlaceOfEachDocument) {
  const TextConfig settings = config(RowKind::packed, Context::document);
  const TextCorpusPtr corpus = open(settings);
  std::vector<std::string> texts;
  for (const Outcome::Item& item : read_all(settings.path, {}).items)
    texts.push_back(item.fields.front());
  for (std::int64_t step = 0; step < 5; ++step) {
    for (const RowView& view : row_views(*corpus->training(), step)) {
      ASSERT_FALSE(view.parts.empty());
      for (const ShownTokens& part : view.parts) {
        ASSERT_TRUE(part.origin.has_value());
        EXPECT_EQ(part.origin->file, settings.path.front());
        EXPECT_EQ(corpus->tokenizer().decode(part.tokens),
                  texts[static_cast<std::size_t>(part.origin->record)]);
        EXPECT_EQ(part.num_learnt(), std::ssize(part.tokens) - 1);
      }
    }
  }
}

TEST_F(RowViewTest, PaddedRowsHaveNoParts) {
  const SourcePtr source =
      open(config(RowKind::single, Context::row))->evaluation({.batch_size = 999});
  const std::vector<RowView> rows = row_views(*source, 0);
  EXPECT_FALSE(rows.front().parts.empty());
  EXPECT_TRUE(rows.back().parts.empty());
}

// Sources that do not know their documents.
TEST(RowView, DividesRowsIntoSegments) {
  const Dims dims = {1, 4};
  const SourcePtr source =
      in_memory({{"inputs", HostTensor::from<std::int32_t>({1, 2, 3, 0}, dims), "batch len"},
                 {"targets", HostTensor::from<std::int32_t>({2, 3, 0, 0}, dims), "batch len"},
                 {"weights", HostTensor::from<float>({1, 0, 0, 0}, dims), "batch len"},
                 {"segments", HostTensor::from<std::int32_t>({1, 1, 2, 0}, dims), "batch len"},
                 {"positions", HostTensor::from<std::int32_t>({0, 1, 0, 0}, dims), "batch len"}},
                {.batch_size = 1});
  const RowView view = row_view(*source, 0, 0);
  ASSERT_EQ(view.parts.size(), 2);
  EXPECT_THAT(view.parts[0].tokens, ElementsAre(1, 2));
  EXPECT_THAT(view.parts[0].learnt, ElementsAre(false, true));
  EXPECT_EQ(view.parts[0].segment, 1);
  EXPECT_THAT(view.parts[1].tokens, ElementsAre(3));
  EXPECT_EQ(view.num_padding, 2);
  EXPECT_TRUE(view.arrays.empty());
}

TEST(RowView, ShowsTargetsThatAreNotTheNextInputs) {
  const Dims dims = {1, 2};
  const SourcePtr source =
      in_memory({{"inputs", HostTensor::from<std::int32_t>({1, 2}, dims), "batch len"},
                 {"targets", HostTensor::from<std::int32_t>({7, 8}, dims), "batch len"},
                 {"weights", HostTensor::from<float>({1, 0}, dims), "batch len"}},
                {.batch_size = 1});
  const RowView view = row_view(*source, 0, 0);
  ASSERT_EQ(view.parts.size(), 2);
  EXPECT_EQ(view.parts[0].array, "inputs");
  EXPECT_EQ(view.parts[1].array, "targets");
  EXPECT_THAT(view.parts[1].tokens, ElementsAre(7, 8));
  EXPECT_THAT(view.parts[1].learnt, ElementsAre(true, false));
}

TEST(RowView, ShowsBothSequencesOfAnEncoderDecoder) {
  const SourcePtr source = SequencesConfig{}.make(3);
  const RowView view = row_view(*source, 2, 5);
  ASSERT_EQ(view.parts.size(), 2);
  EXPECT_EQ(view.parts[0].array, "encoder_inputs");
  EXPECT_EQ(view.parts[1].array, "targets");
  EXPECT_EQ(view.parts[1].tokens.size(), view.parts[0].tokens.size() + 1) << "with the end token";
  EXPECT_EQ(view.parts[1].num_learnt(), std::ssize(view.parts[1].tokens));
}

TEST(RowView, HasTheValuesOfOtherArrays) {
  const SourcePtr source = ShapesConfig{}.make(3);
  const RowView view = row_view(*source, 0, 1);
  EXPECT_TRUE(view.parts.empty());
  ASSERT_EQ(view.arrays.size(), 2);
  EXPECT_EQ(view.arrays[0].name, "images");
  const Batch batch = source->batch(0, {1, 2});
  EXPECT_EQ(view.arrays[0].values, batch.at("images").value().to_doubles());
  EXPECT_EQ(view.arrays[1].type.dims, Dims{});
}

TEST(RowView, RefusesRowsThatDoNotExist) {
  const SourcePtr source = taken(ShapesConfig{}.make(3), 2);
  EXPECT_THAT(message_of([&] { row_view(*source, 2, 0); }), HasSubstr("has no batch 2: it has 2"));
  EXPECT_THAT(message_of([&] { row_view(*source, 0, -1); }), HasSubstr("has no row -1"));
}

}  // namespace
}  // namespace meshwright::data
