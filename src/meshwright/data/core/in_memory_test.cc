// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/core/in_memory.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/data/core/source_testutil.h"

namespace meshwright::data {
namespace {

using ::testing::ElementsAre;

// Examples 1, 2, ..., so that padding is recognisable as 0.
InMemorySource numbers(int count, InMemoryOptions options) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 1);
  Batch examples;
  examples["x"] = HostTensor::from(values, {count});
  Tree<std::vector<std::string>> axes;
  axes["x"] = std::vector<std::string>{"batch"};
  return InMemorySource(std::move(examples), axes, std::move(options));
}

std::vector<std::int32_t> batches(const Source& source, std::int64_t first, std::int64_t stop) {
  std::vector<std::int32_t> out;
  for (std::int64_t step = first; step < stop; ++step) {
    std::vector<std::int32_t> values = ints(whole_batch(source, step), "x");
    out.insert(out.end(), values.begin(), values.end());
  }
  return out;
}

TEST(InMemory, ShuffledBatchesAreAPureFunction) {
  for (Remainder remainder : {Remainder::wrap, Remainder::drop, Remainder::pad})
    expect_pure(numbers(10, {.batch_size = 4, .seed = 1, .remainder = remainder}), 8);
}

TEST(InMemory, KeepsTheOrderIfNotShuffled) {
  InMemorySource source = numbers(5, {.batch_size = 2, .shuffle = false, .num_epochs = 2});
  EXPECT_EQ(source.num_batches(), 5);
  EXPECT_THAT(batches(source, 0, 5), ElementsAre(1, 2, 3, 4, 5, 1, 2, 3, 4, 5));
  EXPECT_EQ(source.batches_per_epoch(), 2.5);
}

TEST(InMemory, EveryPassHasEveryExampleInAnotherOrder) {
  InMemorySource source = numbers(12, {.batch_size = 4, .seed = 3});
  std::vector<std::int32_t> first = batches(source, 0, 3), second = batches(source, 3, 6);
  EXPECT_NE(first, second);
  std::ranges::sort(first);
  std::ranges::sort(second);
  EXPECT_EQ(first, second);
  EXPECT_EQ(std::ranges::adjacent_find(first), first.end());
}

TEST(InMemory, AShuffleWindowKeepsExamplesNearTheirPlace) {
  InMemorySource source = numbers(23, {.batch_size = 23, .seed = 3, .shuffle_window = 5});
  std::set<std::vector<std::int32_t>> orders;
  for (std::int64_t epoch = 0; epoch < 4; ++epoch) {
    std::vector<std::int32_t> order = batches(source, epoch, epoch + 1);
    orders.insert(order);
    for (std::size_t i = 0; i < order.size(); ++i)
      EXPECT_EQ((order[i] - 1) / 5, static_cast<int>(i) / 5);
    std::ranges::sort(order);
    EXPECT_EQ(std::ranges::adjacent_find(order), order.end());
  }
  EXPECT_EQ(orders.size(), 4);
  expect_pure(numbers(23, {.batch_size = 4, .seed = 3, .shuffle_window = 5}), 8);
  EXPECT_THAT([] { numbers(23, {.batch_size = 4, .shuffle_window = 0}); },
              throws_with("shuffle window is 0"));
}

TEST(InMemory, OtherSeedsGiveOtherOrders) {
  EXPECT_NE(batches(numbers(12, {.batch_size = 4, .seed = 3}), 0, 3),
            batches(numbers(12, {.batch_size = 4, .seed = 4}), 0, 3));
}

TEST(InMemory, DropsWhatDoesNotFillABatch) {
  InMemorySource source = numbers(
      7, {.batch_size = 3, .shuffle = false, .remainder = Remainder::drop, .num_epochs = 2});
  EXPECT_EQ(source.num_batches(), 4);
  EXPECT_THAT(batches(source, 0, 4), ElementsAre(1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6));
  EXPECT_THAT([] { numbers(2, {.batch_size = 3, .remainder = Remainder::drop}); },
              throws_with("2 examples do not fill a batch of 3"));
}

TEST(InMemory, PadsTheLastBatchWithWeightsZero) {
  InMemorySource source =
      numbers(4, {.batch_size = 3, .shuffle = false, .remainder = Remainder::pad, .num_epochs = 1});
  EXPECT_EQ(source.num_batches(), 2);
  Batch last = whole_batch(source, 1);
  EXPECT_THAT(ints(last, "x"), ElementsAre(4, 0, 0));
  EXPECT_THAT(last.at(kExampleWeight).value().values<float>(), ElementsAre(1, 0, 0));
  check_batch(source, last, 3);
}

TEST(InMemory, IdentityKnowsTheContents) {
  auto identity = [](int count) { return numbers(count, {.batch_size = 2}).identity(); };
  EXPECT_EQ(identity(8), identity(8));
  EXPECT_FALSE(identity(8) == identity(9));
}

TEST(InMemory, RefusesArraysOfDifferentLength) {
  Batch examples;
  examples["x"] = HostTensor::from<float>({1, 2}, {2});
  examples["y"] = HostTensor::from<float>({1, 2, 3}, {3});
  auto axes = map(examples, [](const HostTensor&) { return std::vector<std::string>{"batch"}; });
  EXPECT_THAT([&] { InMemorySource source(examples, axes, {.batch_size = 1}); },
              throws_with("'y' has 3 rows, other arrays have 2"));
}

}  // namespace
}  // namespace meshwright::data
