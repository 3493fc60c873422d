// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/generated/arithmetic.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/data/core/lm_batch.h"
#include "meshwright/data/core/source_testutil.h"

namespace meshwright::data {
namespace {

using ::testing::ElementsAre;

std::string letters(const std::vector<std::int32_t>& tokens) {
  std::string out;
  for (std::int32_t token : tokens)
    out += kArithmeticVocab.at(static_cast<std::size_t>(token));
  return out;
}

TEST(ArithmeticText, WritesDigitsFromTheLowestUp) {
  EXPECT_EQ(letters(ArithmeticText().tokens({123, 456})), "321+654=9750");
  EXPECT_EQ(letters(ArithmeticText().tokens({7, 995})), "700+599=2001");
  EXPECT_EQ(letters(ArithmeticText(1).tokens({7, 9})), "7+9=61");
}

TEST(ArithmeticText, ReadsProblemsAndAnswersBack) {
  ArithmeticText text;
  std::vector<std::int32_t> tokens = text.tokens({40, 999});
  EXPECT_EQ(text.find_problem(tokens), (Addition{40, 999}));
  EXPECT_EQ(text.find_answer(std::span(tokens).last(4)), 1039);
  tokens[3] = 1;  // in place of the '+'
  EXPECT_EQ(text.find_problem(tokens), std::nullopt);
  EXPECT_EQ(text.find_answer(std::span(tokens).last(3)), std::nullopt);
}

TEST(ArithmeticText, ShowsAnswersToPeople) {
  ArithmeticText text;
  EXPECT_EQ(text.shown({123, 456}, std::vector<std::int32_t>{9, 7, 5, 0}), "123+456=579");
  EXPECT_EQ(text.shown({123, 456}, std::vector<std::int32_t>{8, 7, 6, 0}), "123+456=678 (579)");
  EXPECT_EQ(text.shown({1, 2}, std::vector<std::int32_t>{3, 11, 0, 99}), "1+2=3=0? (3)");
}

TEST(ArithmeticText, RefusesTermsThatAreTooLong) {
  EXPECT_THAT([] { ArithmeticText().tokens({1000, 1}); }, throws_with("more than 3 digits"));
  EXPECT_THAT([] { ArithmeticText text(5); }, throws_with("1 to 4"));
}

TEST(Arithmetic, BatchesAreAPureFunction) {
  expect_pure(ArithmeticSource({.batch_size = 6, .seed = 5}), 4);
}

TEST(Arithmetic, OnlyTheSumHasWeight) {
  ArithmeticSource source({.batch_size = 1});
  Batch batch = whole_batch(source, 3);
  std::string problem = letters(ArithmeticText().tokens(source.problem(3, 0)));
  EXPECT_EQ(letters(ints(batch, kInputs)), problem.substr(0, 11));
  EXPECT_EQ(letters(ints(batch, kTargets)), problem.substr(1));
  EXPECT_THAT(batch.at(kWeights).value().values<float>(),
              ElementsAre(0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1));
}

TEST(Arithmetic, TrainingNeverSeesAHeldOutProblem) {
  std::set<std::pair<int, int>> held_out;
  for (const Addition& problem : held_out_additions(ArithmeticText()))
    held_out.emplace(problem.first, problem.second);
  ArithmeticSource source({.batch_size = 100, .seed = 1});
  for (std::int64_t row = 0; row < 50'000; ++row) {
    Addition problem = source.problem(row / 100, row % 100);
    ASSERT_FALSE(held_out.contains({problem.first, problem.second})) << to_string(problem);
    ASSERT_FALSE(held_out.contains({problem.second, problem.first})) << to_string(problem);
  }
}

// If these change, older checkpoints have been trained on evaluation data.
TEST(Arithmetic, HeldOutProblemsStayTheSame) {
  std::vector<Addition> problems = held_out_additions(ArithmeticText());
  EXPECT_EQ(problems.size(), 3836u);
  EXPECT_EQ(problems.front(), (Addition{0, 182}));
  EXPECT_EQ(problems.back(), (Addition{999, 138}));
}

TEST(Arithmetic, HeldOutBatchesHaveEachProblemOnce) {
  auto source = held_out_arithmetic(512);
  std::size_t num_examples = 0;
  std::set<std::string> seen;
  for (std::int64_t step = 0; step < *source->num_batches(); ++step) {
    Batch batch = whole_batch(*source, step);
    std::vector<std::int32_t> inputs = ints(batch, kInputs);
    auto weights = batch.at(kExampleWeight).value().values<float>();
    auto token_weights = batch.at(kWeights).value().values<float>();
    for (std::size_t row = 0; row < 512; ++row) {
      EXPECT_EQ(token_weights[row * 11 + 10], weights[row]);
      if (weights[row] == 0) continue;
      ++num_examples;
      seen.insert(letters({inputs.begin() + static_cast<std::ptrdiff_t>(row * 11),
                           inputs.begin() + static_cast<std::ptrdiff_t>(row * 11 + 8)}));
    }
  }
  EXPECT_EQ(num_examples, held_out_additions(ArithmeticText()).size());
  EXPECT_EQ(seen.size(), num_examples);
}

}  // namespace
}  // namespace meshwright::data
