// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/error.h"

#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/check.h"
#include "meshwright/base/source_loc.h"

namespace meshwright {
namespace {

TEST(Error, KeepsCodeAndGainsContext) {
  Error error(ErrorCode::data_loss, "chunk 0.1 is 3 bytes short");
  Error outer = error.with_context("restoring step 12");
  EXPECT_EQ(outer.code(), ErrorCode::data_loss);
  EXPECT_STREQ(outer.what(), "restoring step 12: chunk 0.1 is 3 bytes short");
}

TEST(Check, ThrowsTheConcatenatedMessage) {
  const Error error =
      thrown_by([&] { MW_CHECK(1 > 2, "one is ", 1, ", half is ", 0.5, ", that is ", false); });
  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  EXPECT_EQ(error.message(), "one is 1, half is 0.5, that is false");
}

TEST(SourceLoc, IsThatOfTheCaller) {
  SourceLoc here = SourceLoc::current();
  EXPECT_EQ(here.line, __LINE__ - 1);
}

}  // namespace
}  // namespace meshwright
