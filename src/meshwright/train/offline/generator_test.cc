// SPDX-License-Identifier: Apache-2.0
// Generated text is tested with the tasks, and by tests/e2e/eval_generate_test.py.
#include "meshwright/train/offline/generator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/train/offline/part_length.h"

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
                    HasSubstr("the model's 1024 positions"),
                    HasSubstr("\nto generate fewer tokens: GenerateOptions::max_tokens 63")));
  EXPECT_THAT(message_of([] { padded_length(1024, 64, 1024); }), HasSubstr("a shorter prompt"));
}

TEST(PartLength, IsOneTokenAndThenFiftyMilliseconds) {
  PartLength part(/*is_watched=*/true);
  EXPECT_EQ(part.num_tokens(), 1);
  part.record(0.001);
  EXPECT_EQ(part.num_tokens(), 50);
  part.record(0.1);
  EXPECT_EQ(part.num_tokens(), 25);
  part.record(10);
  EXPECT_EQ(part.num_tokens(), 1);
  part.record(0);
  EXPECT_EQ(part.num_tokens(), 4096);
}

TEST(PartLength, IsEverythingIfNobodyWatches) {
  EXPECT_GT(PartLength(/*is_watched=*/false).num_tokens(), 1 << 24);
}

TEST(ContinuationLength, IsWhatThePositionsLeaveIfThatIsAllowed) {
  const GenerateOptions fixed{.max_tokens = 64};
  const GenerateOptions shorter{.max_tokens = 64, .may_be_shorter = true};
  EXPECT_EQ(continuation_length(10, fixed, 64), 64);
  EXPECT_EQ(continuation_length(10, shorter, 64), 54);
  EXPECT_EQ(continuation_length(10, shorter, 200), 64);
  EXPECT_EQ(continuation_length(10, shorter, {}), 64);
  EXPECT_EQ(continuation_length(63, shorter, 64), 1);
  // padded_length() reports prompts that are too long.
  EXPECT_EQ(continuation_length(64, shorter, 64), 1);
  EXPECT_THAT(message_of([] { padded_length(64, 1, 64); }), HasSubstr("a shorter prompt"));
}

}  // namespace
}  // namespace meshwright::train
