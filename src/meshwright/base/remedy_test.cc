// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/remedy.h"

#include <gtest/gtest.h>

namespace meshwright {
namespace {

TEST(BeforeRemedy, KeepsTheCauseOnOneLine) {
  EXPECT_EQ(before_remedy("it broke", " (here)"), "it broke (here)");
  EXPECT_EQ(before_remedy("it broke\nfix it\nsoon", " (here)"), "it broke (here)\nfix it\nsoon");
}

}  // namespace
}  // namespace meshwright
