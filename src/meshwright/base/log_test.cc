// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/log.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/log_prefix.h"

namespace meshwright {
namespace {

TEST(Log, WritesWarningsAndNotesToStderr) {
  testing::internal::CaptureStderr();
  log_warning("step ", 3, " is late");
  log_info("all is well");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "warning: step 3 is late\nall is well\n");
}

TEST(Log, HandsMessagesToTheInnermostHandler) {
  std::vector<std::string> outer;
  std::vector<std::string> inner;
  ScopedLogHandler first([&](Severity, std::string_view text) { outer.emplace_back(text); });
  {
    ScopedLogHandler second([&](Severity, std::string_view text) { inner.emplace_back(text); });
    log_warning("one");
  }
  log_info("two");
  EXPECT_THAT(inner, testing::ElementsAre("one"));
  EXPECT_THAT(outer, testing::ElementsAre("two"));
}

TEST(Log, CallsAHandlerByOneThreadAtATime) {
  std::atomic<int> inside = 0;
  int most_inside = 0;
  ScopedLogHandler handler([&](Severity, std::string_view text) {
    most_inside = std::max(most_inside, ++inside);
    if (text == "outer") log_info("inner");
    std::this_thread::yield();
    --inside;
  });
  log_info("outer");
  EXPECT_EQ(most_inside, 2) << "a handler may log";
  most_inside = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      for (int j = 0; j < 500; ++j)
        log_info("from a thread");
    });
  threads.clear();
  EXPECT_EQ(most_inside, 1);
}

TEST(Log, TakesAHandlerAwayWhenNobodyIsInItAnyMore) {
  std::promise<void> entered;
  std::atomic<bool> has_left = false;
  std::jthread other;
  {
    ScopedLogHandler handler([&](Severity, std::string_view) {
      entered.set_value();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      has_left = true;
    });
    other = std::jthread([] { log_info("slow"); });
    entered.get_future().wait();
  }
  EXPECT_TRUE(has_left);
}

TEST(Log, LinesBeginWithThePrefixThatIsSet) {
  int step = 0;
  {
    ScopedLogPrefix prefix([&] { return str("step ", ++step, "] "); });
    testing::internal::CaptureStderr();
    log_warning("late");
    log_info("fine");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "step 1] warning: late\nstep 2] fine\n");
  }
  EXPECT_EQ(log_line(Severity::info, "fine"), "fine\n");
}

}  // namespace
}  // namespace meshwright
