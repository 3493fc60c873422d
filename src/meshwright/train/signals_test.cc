// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/signals.h"

#include <csignal>

#include <gtest/gtest.h>

namespace meshwright::train {
namespace {

TEST(SignalWatch, HandsOutARequestToSaveOnce) {
  SignalWatch watch;
  std::raise(SIGUSR1);
  EXPECT_TRUE(watch.take().save);
  EXPECT_FALSE(watch.take().save);
  EXPECT_FALSE(watch.take().stop);
}

TEST(SignalWatch, RemembersWhichSignalAskedToStop) {
  SignalWatch watch;
  EXPECT_EQ(watch.stop_signal(), 0);
  std::raise(SIGTERM);
  EXPECT_TRUE(watch.take().stop);
  EXPECT_TRUE(watch.take().stop);
  EXPECT_EQ(watch.stop_signal(), SIGTERM);
}

TEST(SignalWatchDeathTest, ASecondSignalEndsTheProcess) {
  auto twice = [] {
    SignalWatch watch;
    std::raise(SIGTERM);
    std::raise(SIGTERM);
  };
  EXPECT_EXIT(twice(), testing::KilledBySignal(SIGTERM), "");
}

TEST(SignalWatch, TellsOfARequestWithoutTakingIt) {
  SignalWatch watch;
  EXPECT_FALSE(watch.has_request());
  std::raise(SIGUSR1);
  EXPECT_TRUE(watch.has_request());
  EXPECT_TRUE(watch.take().save);
  EXPECT_FALSE(watch.has_request());
  std::raise(SIGINT);
  EXPECT_TRUE(watch.has_request());
}

TEST(EndAtOnceDeathTest, ExitsWithTheNumberOfTheSignal) {
  auto ended_by = [](int number) {
    EndAtOnce end_at_once;
    std::raise(number);
  };
  EXPECT_EXIT(ended_by(SIGTERM), testing::ExitedWithCode(143), "before training began");
  EXPECT_EXIT(ended_by(SIGINT), testing::ExitedWithCode(130), "before training began");
}

TEST(EndAtOnce, LeavesTheSignalsToAWatch) {
  EndAtOnce end_at_once;
  SignalWatch watch;
  std::raise(SIGTERM);
  EXPECT_TRUE(watch.take().stop);
}

TEST(SignalWatch, AHangUpAsksToStopAsOftenAsItComes) {
  auto* before = std::signal(SIGHUP, SIG_DFL);
  {
    SignalWatch watch;
    std::raise(SIGHUP);
    std::raise(SIGHUP);
    EXPECT_TRUE(watch.take().stop);
    EXPECT_EQ(watch.stop_signal(), SIGHUP);
  }
  std::signal(SIGHUP, before);
}

TEST(SignalWatch, AHangUpThatIsIgnoredStaysSo) {
  auto* before = std::signal(SIGHUP, SIG_IGN);
  {
    SignalWatch watch;
    std::raise(SIGHUP);
    EXPECT_FALSE(watch.take().stop);
  }
  std::signal(SIGHUP, before);
}

TEST(SignalWatch, PutsTheOldHandlersBack) {
  static int num_calls = 0;
  std::signal(SIGUSR1, [](int) { ++num_calls; });
  { SignalWatch watch; }
  std::raise(SIGUSR1);
  EXPECT_EQ(num_calls, 1);
  std::signal(SIGUSR1, SIG_DFL);
}

}  // namespace
}  // namespace meshwright::train
