// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/schedules/duration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"

namespace meshwright::optim {
namespace {

using ::testing::HasSubstr;

const RunLength kRun{.total_steps = 1000,
                     .batch_examples = 64,
                     .epoch_examples = [] { return 6400; },
                     .example_tokens = 512};

std::int64_t steps_of(std::string_view text, const RunLength& run = kRun) {
  return to_steps(parse_duration(text), run, "warmup");
}

TEST(Duration, IsConvertedFromEveryUnit) {
  EXPECT_EQ(steps_of("500"), 500);
  EXPECT_EQ(steps_of("500 steps"), 500);
  EXPECT_EQ(steps_of("1 step"), 1);
  EXPECT_EQ(steps_of("6.4e3 examples"), 100);
  EXPECT_EQ(steps_of("2.5 epochs"), 250);
  EXPECT_EQ(steps_of("2.5%"), 25);
  EXPECT_EQ(steps_of("327680 tokens"), 10);
}

TEST(Duration, IsRoundedToTheNearestStepButNotToNone) {
  EXPECT_EQ(steps_of("95 examples"), 1);
  EXPECT_EQ(steps_of("97 examples"), 2);
  EXPECT_EQ(steps_of("160 examples"), 2);  // a tie goes to the even number
  EXPECT_EQ(steps_of("1 examples"), 1);
  EXPECT_EQ(steps_of("0 epochs"), 0);
}

TEST(Duration, WantsWhatItsUnitNeeds) {
  EXPECT_THAT(
      message_of([] { steps_of("2 epochs", {.batch_examples = 8}); }),
      HasSubstr(
          "warmup: '2 epochs' cannot be converted to steps without data with epochs of a known "
          "size"));
  EXPECT_THAT(message_of([] { steps_of("10%", {}); }), HasSubstr("the total number of steps"));
  EXPECT_THAT(message_of([] { steps_of("101%"); }), HasSubstr("more than 100%"));
  for (const char* text : {"1e300 steps", "1e19 steps", "1e30 examples", "1e308 epochs"})
    EXPECT_THAT(message_of([&] { steps_of(text); }), HasSubstr("more than 2^53 steps")) << text;
}

TEST(Duration, RefusesOtherTexts) {
  for (const char* text : {"", "steps", "-3", "3 weeks", "3 % steps", "nan", "inf epochs"})
    EXPECT_THAT(message_of([&] { parse_duration(text); }), HasSubstr("is not a duration")) << text;
}

TEST(Duration, IsWrittenAsItIsRead) {
  for (const char* text : {"500 steps", "10%", "2.5 epochs"})
    EXPECT_EQ(to_string(parse_duration(text)), text);
}

}  // namespace
}  // namespace meshwright::optim
