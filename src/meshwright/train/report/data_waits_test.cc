// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/report/data_waits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace meshwright::train {
namespace {

using testing::HasSubstr;

TimeSpent spent(double steps, double data_wait) {
  TimeSpent out;
  out[Spent::steps] = steps;
  out[Spent::data_wait] = data_wait;
  return out;
}

TEST(DataWaits, WarnOnceOfALargeShare) {
  DataWaits waits("text", 1);
  EXPECT_EQ(waits.find_warning(spent(100, 10)), std::nullopt);    // 9%
  EXPECT_EQ(waits.find_warning(spent(101, 11.9)), std::nullopt);  // less than two seconds
  const std::optional<std::string> warning = waits.find_warning(spent(107, 13.9));
  ASSERT_TRUE(warning);
  EXPECT_THAT(*warning,
              HasSubstr("25.0% of the last 8.0s of training were spent waiting for batches "
                        "of 'text'\nmake batches on more threads (prefetch.threads, now "
                        "1)"));
  EXPECT_EQ(waits.find_warning(spent(108, 50)), std::nullopt);
  EXPECT_EQ(DataWaits("text", 1, spent(10, 10)).find_warning(spent(20, 11)), std::nullopt);
}

TEST(DataWaits, NameTheSources) {
  DataWaits waits("text", 1);
  waits.add_evaluation("held_out", 3, 10);
  waits.add_evaluation("held_out", 1, 6);
  waits.add_evaluation("short", 0.9, 1);
  waits.add_evaluation("rare", 2, 1000);
  EXPECT_EQ(waits.text(spent(388, 12)),
            "training waited 12s for 'text' (3.0% of its time), evaluator 'held_out' waited 4.0s "
            "(25.0%)");
  EXPECT_EQ(DataWaits("text", 1).text(spent(1000, 5)), "");
  EXPECT_EQ(DataWaits("text", 1).text(spent(1, 0.9)), "");
}

}  // namespace
}  // namespace meshwright::train
