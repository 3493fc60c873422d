// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/core/sequence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/data/core/in_memory.h"
#include "meshwright/data/core/source_testutil.h"
#include "meshwright/data/generated/synthetic.h"

namespace meshwright::data {
namespace {

using ::testing::ElementsAre;

SourcePtr numbers(const std::vector<std::int32_t>& values, std::int64_t batch_size) {
  const std::int64_t count = std::ssize(values);
  return in_memory(
      {{"x", HostTensor::from(values, {count}), "batch"}},
      {.batch_size = batch_size, .shuffle = false, .remainder = Remainder::pad, .num_epochs = 1});
}

TEST(InSequence, GivesOneSourceAfterTheOther) {
  const SourcePtr source =
      in_sequence({numbers({1, 2, 3}, 2), numbers({4}, 2), numbers({5, 6}, 2)});
  EXPECT_EQ(source->num_batches(), 4);
  EXPECT_THAT(ints(whole_batch(*source, 1), "x"), ElementsAre(3, 0));
  EXPECT_THAT(ints(whole_batch(*source, 2), "x"), ElementsAre(4, 0));
  EXPECT_THAT(ints(whole_batch(*source, 3), "x"), ElementsAre(5, 6));
  expect_pure(*source, 4);
  EXPECT_THAT([&] { source->batch(4, {0, 1}); }, throws_with("has fewer batches"));
}

TEST(InSequence, RefusesWhatCannotFollow) {
  EXPECT_THAT(
      [] {
        in_sequence({numbers({1, 2}, 2), numbers({1, 2, 3}, 3)});
      },
      throws_with("different arrays"));
  const auto endless = std::make_shared<RandomTokens>(
      RandomTokensOptions{.batch_size = 2, .length = 3, .vocab_size = 9});
  EXPECT_THAT([&] { in_sequence({endless, endless})->num_batches(); }, throws_with("is endless"));
}

}  // namespace
}  // namespace meshwright::data
