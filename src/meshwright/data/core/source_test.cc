// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/core/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/log.h"
#include "meshwright/data/core/combinators.h"
#include "meshwright/data/core/lm_batch.h"
#include "meshwright/data/core/source_testutil.h"
#include "meshwright/data/core/state.h"
#include "meshwright/data/generated/synthetic.h"

namespace meshwright::data {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Lt;

SourcePtr tokens(std::int64_t seed, std::int64_t batch_size = 4) {
  return std::make_shared<RandomTokens>(
      RandomTokensOptions{.batch_size = batch_size, .length = 8, .vocab_size = 50, .seed = seed});
}

TEST(RowsOfProcess, PartTheBatch) {
  EXPECT_EQ(rows_of_process(12, 0, 3), (Rows{0, 4}));
  EXPECT_EQ(rows_of_process(12, 2, 3), (Rows{8, 12}));
}

TEST(RowsOfProcess, RefusesWhatDoesNotDivide) {
  EXPECT_THAT([] { rows_of_process(10, 0, 4); }, throws_with("multiple of 4"));
  EXPECT_THAT([] { rows_of_process(8, 4, 4); }, throws_with("process 4 is not below 4"));
}

TEST(CheckBatch, SaysWhatIsNotAsSpecified) {
  SourcePtr source = tokens(1);
  Batch batch = whole_batch(*source, 0);
  EXPECT_NO_THROW(check_batch(*source, batch, 4));
  batch[kWeights] = HostTensor::from<float>({1, 2}, {2});
  EXPECT_THAT([&] { check_batch(*source, batch, 4); },
              throws_with("'weights': f32[4,8] and f32[2]"));
}

TEST(RandomTokens, AreAPureFunctionOfSeedAndStep) {
  expect_pure(*tokens(1), 5);
  EXPECT_NE(ints(whole_batch(*tokens(1), 0), kInputs), ints(whole_batch(*tokens(2), 0), kInputs));
  EXPECT_NE(ints(whole_batch(*tokens(1), 0), kInputs), ints(whole_batch(*tokens(1), 1), kInputs));
}

TEST(RandomTokens, TargetsAreTheNextInputs) {
  Batch batch = whole_batch(*tokens(1), 7);
  std::vector<std::int32_t> inputs = ints(batch, kInputs), targets = ints(batch, kTargets);
  EXPECT_THAT(inputs, Each(AllOf(Ge(0), Lt(50))));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (i % 8 == 7) continue;
    EXPECT_EQ(targets[i], inputs[i + 1]) << i;
  }
}

TEST(ConstantSource, GivesItsRows) {
  Batch batch;
  batch["x"] = HostTensor::from<std::int32_t>({1, 2, 3, 4}, {2, 2});
  Tree<std::vector<std::string>> axes;
  axes["x"] = std::vector<std::string>{"batch", "dim"};
  ConstantSource source(batch, axes);
  EXPECT_THAT(ints(source.batch(3, {1, 2}), "x"), ElementsAre(3, 4));
  axes["x"] = std::vector<std::string>{"dim", "batch"};
  EXPECT_THAT([&] { ConstantSource wrong(batch, axes); }, throws_with("expected 'batch' first"));
}

TEST(Mapped, ChangesBatches) {
  SourcePtr source = tokens(1);
  BatchMap map{.name = "doubled", .spec = source->spec(), .function = [](const Batch& in) {
                 Batch out = in;
                 std::vector<std::int32_t> values = ints(in, kInputs);
                 for (std::int32_t& value : values)
                   value *= 2;
                 out[kInputs] = HostTensor::from(values, in.at(kInputs).value().dims());
                 return out;
               }};
  SourcePtr doubled = mapped(source, map);
  EXPECT_EQ(doubled->name(), "doubled(random_tokens)");
  EXPECT_EQ(ints(whole_batch(*doubled, 3), kInputs)[5],
            2 * ints(whole_batch(*source, 3), kInputs)[5]);
}

TEST(Mapped, RefusesAResultThatIsNotAsSpecified) {
  SourcePtr source = tokens(1);
  BatchMap map{
      .name = "lost", .spec = source->spec(), .function = [](const Batch&) { return Batch(); }};
  EXPECT_THAT([&] { whole_batch(*mapped(source, map), 0); },
              throws_with("'inputs' is in the spec only"));
}

TEST(Taken, EndsEarlier) {
  SourcePtr few = taken(tokens(1), 3);
  EXPECT_EQ(few->num_batches(), 3);
  EXPECT_EQ(ints(whole_batch(*few, 2), kInputs), ints(whole_batch(*tokens(1), 2), kInputs));
  EXPECT_THAT([&] { taken(few, 4); }, throws_with("which has 3"));
}

TEST(State, TellsWhereToContinue) {
  EXPECT_EQ(num_batches_used(*tokens(1), state(*tokens(1), 12), OnOtherData::refuse), 12);
}

TEST(State, RefusesOtherDataWithAllDifferences) {
  State saved = state(*tokens(1, 4), 12);
  auto restore = [&] { num_batches_used(*tokens(2, 8), saved, OnOtherData::refuse); };
  EXPECT_THAT(restore, throws_with("'seed': 1 and 2"));
  EXPECT_THAT(restore, throws_with("'batch_size': 4 and 8"));
}

TEST(State, WarnsOfOtherDataThatIsAllowed) {
  std::string warning;
  ScopedLogHandler handler([&](Severity, std::string_view text) { warning = text; });
  EXPECT_EQ(num_batches_used(*tokens(2), state(*tokens(1), 12), OnOtherData::warn), 12);
  EXPECT_THAT(warning, HasSubstr("'seed': 1 and 2"));
}

TEST(State, ThatIsNoneIsRefused) {
  State broken;
  broken["num_batches_used"] = Scalar(std::string("12"));
  EXPECT_THAT([&] { num_batches_used(*tokens(1), broken, OnOtherData::warn); },
              throws_with("lacks 'num_batches_used' or 'source'"));
}

}  // namespace
}  // namespace meshwright::data
