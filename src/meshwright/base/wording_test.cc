// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/wording.h"

#include <gtest/gtest.h>

namespace meshwright {
namespace {

TEST(Wording, IsThatOfTheLibraryUntilAProgramHasItsOwn) {
  EXPECT_EQ(wording(Advice::begin_anew), "Job::fresh");
  EXPECT_EQ(wording(Advice::max_tokens), "GenerateOptions::max_tokens");
  set_wording(Advice::begin_anew, "--fresh");
  EXPECT_EQ(wording(Advice::begin_anew), "--fresh");
  EXPECT_EQ(wording(Advice::go_back), "Job::goes_back");
  set_wording(Advice::begin_anew, "");
  EXPECT_EQ(wording(Advice::begin_anew), "Job::fresh");
}

}  // namespace
}  // namespace meshwright
