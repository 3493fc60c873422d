// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/counted.h"

#include <gtest/gtest.h>

namespace meshwright {
namespace {

TEST(Counted, UsesTheSingularForOneOnly) {
  EXPECT_EQ(counted(0, "document"), "0 documents");
  EXPECT_EQ(counted(1, "document"), "1 document");
  EXPECT_EQ(counted(2, "document"), "2 documents");
  EXPECT_EQ(counted(-1, "degree"), "-1 degrees");
}

TEST(Counted, TakesAnIrregularPlural) {
  EXPECT_EQ(counted(1, "batch", "batches"), "1 batch");
  EXPECT_EQ(counted(3, "batch", "batches"), "3 batches");
}

TEST(Counted, SeparatesThousands) {
  EXPECT_EQ(counted(1234567, "token"), "1,234,567 tokens");
}

}  // namespace
}  // namespace meshwright
