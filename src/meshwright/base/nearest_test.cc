// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/nearest.h"

#include <gtest/gtest.h>

namespace meshwright {
namespace {

TEST(FindNearest, ForgivesOneSlipOfEachKind) {
  const std::vector<std::string> names = {"train", "test", "doctor"};
  EXPECT_EQ(find_nearest("tain", names), "train");
  EXPECT_EQ(find_nearest("trrain", names), "train");
  EXPECT_EQ(find_nearest("trein", names), "train");
  EXPECT_EQ(find_nearest("trian", names), "train");
}

TEST(FindNearest, PrefersTheCloserOfTwo) {
  EXPECT_EQ(find_nearest("learning_rate_b", {"learning_rate_abc", "learning_rate_a"}),
            "learning_rate_a");
}

TEST(FindNearest, TakesTheFirstOfEquallyNear) {
  EXPECT_EQ(find_nearest("b3", {"b1", "b2"}), "b1");
}

TEST(FindNearest, FindsNothingInWhatIsFarAway) {
  EXPECT_EQ(find_nearest("generate", {"train", "doctor"}), std::nullopt);
  EXPECT_EQ(find_nearest("x", {}), std::nullopt);
  EXPECT_EQ(find_nearest("abc", {"xyz"}), std::nullopt);
}

TEST(DidYouMean, SuggestsOrLists) {
  std::vector<std::string> names = {"data", "tensor"};
  EXPECT_EQ(did_you_mean("tensr", names), "; did you mean 'tensor'?");
  EXPECT_EQ(did_you_mean("pipeline", names), "; available: 'data', 'tensor'");
  EXPECT_EQ(did_you_mean("x", {}), "");
}

}  // namespace
}  // namespace meshwright
