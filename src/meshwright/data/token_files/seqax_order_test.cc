// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/token_files/seqax_order.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/error.h"
#include "meshwright/data/core/source_testutil.h"

namespace meshwright::data {
namespace {

TEST(SeqaxOrder, VisitsEachSequenceOfAWholeReadBlockOnce) {
  const SeqaxOrder order(100, {.seed = 3,
                               .batch_size = 6,
                               .streams = 3,
                               .read_blocks_per_shuffle_buffer = 2,
                               .sequences_per_read_block = 7});
  ASSERT_EQ(order.num_batches(), 12 * 7 / 6) << "14 read blocks, 12 of them dealt to 3 streams";
  std::set<std::int64_t> seen;
  for (std::int64_t step = 0; step < order.num_batches(); ++step) {
    for (std::int64_t row = 0; row < 6; ++row)
      seen.insert(order.sequence(step, row));
  }
  EXPECT_EQ(seen.size(), 84U);
  EXPECT_LT(*seen.rbegin(), 14 * 7);
}

TEST(SeqaxOrder, RefusesWhatSeqaxRefuses) {
  const auto make = [](std::int64_t num_sequences, std::int64_t streams) {
    SeqaxOrder(num_sequences, {.batch_size = 6, .streams = streams, .sequences_per_read_block = 7});
  };
  EXPECT_THAT([&] { make(100, 4); }, throws_with("4 streams do not divide a batch of 6 rows"));
  EXPECT_THAT([&] { make(20, 3); }, throws_with("use fewer streams or smaller read blocks"));
}

}  // namespace
}  // namespace meshwright::data
