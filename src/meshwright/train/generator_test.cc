// SPDX-License-Identifier: Apache-2.0
// What is generated is tested with the tasks, and by tests/e2e/eval_generate_test.py.
#include "meshwright/train/generator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"

namespace meshwright::train {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(PaddedLength, IsAPowerOfTwoAndAtLeastSixteen) {
  EXPECT_EQ(padded_length(1, 64, {}), 16);
  EXPECT_EQ(padded_length(16, 64, {}), 16);
  EXPECT_EQ(padded_length(17, 64, {}), 32);
  EXPECT_EQ(padded_length(1025, 64, {}), 2048);
}

TEST(PaddedLength, LeavesRoomForTheContinuation) {
  EXPECT_EQ(padded_length(600, 64, 1024), 960);
  EXPECT_EQ(padded_length(600, 64, 2048), 1024);
  EXPECT_EQ(padded_length(960, 64, 1024), 960);
}

TEST(PaddedLength, TellsWhatThereIsRoomFor) {
  EXPECT_THAT(message_of([] { padded_length(961, 64, 1024); }),
              AllOf(HasSubstr("a prompt of 961 tokens and 64 more"),
                    HasSubstr("the 1024 positions"), HasSubstr("\nfewer: --max-tokens 63")));
  EXPECT_THAT(message_of([] { padded_length(1024, 64, 1024); }), HasSubstr("a shorter prompt"));
}

}  // namespace
}  // namespace meshwright::train
