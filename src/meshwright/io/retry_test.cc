// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/retry.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/log.h"
#include "meshwright/io/io_testutil.h"

namespace meshwright::io {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;

class RetryTest : public testing::Test {
 protected:
  ScopedLogHandler log{
      [this](Severity, std::string_view message) { messages.emplace_back(message); }};
  std::vector<std::string> messages;
  std::vector<std::chrono::milliseconds> waits;
  RetryOptions options{.sleep = [this](std::chrono::milliseconds wait) { waits.push_back(wait); }};
};

TEST_F(RetryTest, GivesTheResultOfTheFirstTryThatWorks) {
  int num_tries = 0;
  int result = retry("reading a", options, [&] {
    if (++num_tries < 3) fail(ErrorCode::unavailable, "no answer");
    return 7;
  });
  EXPECT_EQ(result, 7);
  ASSERT_EQ(waits.size(), 2);
  EXPECT_THAT(messages[0], HasSubstr("reading a: no answer; retrying in "));
}

TEST_F(RetryTest, GivesUpAndSaysHowOftenItTried) {
  const Error error = thrown_by(
      [&] { retry("reading a", options, [] { fail(ErrorCode::unavailable, "no answer"); }); });
  EXPECT_STREQ(error.what(), "reading a (tried 4 times): no answer");
  EXPECT_EQ(error.code(), ErrorCode::unavailable);
  EXPECT_EQ(waits.size(), 3);
}

TEST_F(RetryTest, OnlyTheUnavailableIsTriedAgain) {
  EXPECT_EQ(code_of([&] { retry("x", options, [] { fail(ErrorCode::data_loss, "bad"); }); }),
            ErrorCode::data_loss);
  EXPECT_EQ(waits.size(), 0);
}

TEST_F(RetryTest, WaitsGrowUpToALimit) {
  RetryOptions fast{.first_wait = 100ms, .max_wait = 300ms};
  EXPECT_THAT(wait_before(2, fast), AllOf(Ge(50ms), Le(100ms)));
  EXPECT_THAT(wait_before(3, fast), AllOf(Ge(100ms), Le(200ms)));
  EXPECT_THAT(wait_before(9, fast), AllOf(Ge(150ms), Le(300ms)));
}

}  // namespace
}  // namespace meshwright::io
