// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/health/signals.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>

namespace meshwright::train {
namespace {

TEST(SignalWatch, HandsOutARequestToSaveOnce) {
  SignalWatch watch;
  watch.begin();
  std::raise(SIGUSR1);
  EXPECT_TRUE(watch.take().save);
  EXPECT_FALSE(watch.take().save);
  EXPECT_FALSE(watch.take().stop);
}

TEST(SignalWatch, RemembersWhichSignalAskedToStop) {
  SignalWatch watch;
  watch.begin();
  EXPECT_EQ(watch.stop_signal(), 0);
  std::raise(SIGTERM);
  EXPECT_TRUE(watch.take().stop);
  EXPECT_TRUE(watch.take().stop);
  EXPECT_EQ(watch.stop_signal(), SIGTERM);
}

TEST(SignalWatch, RepeatsWithinASecondAreOneRequest) {
  SignalWatch watch;
  watch.begin();
  for (int number : {SIGTERM, SIGTERM, SIGINT})  // GNU timeout, then Ctrl-C
    std::raise(number);
  EXPECT_TRUE(watch.take().stop);
  EXPECT_EQ(watch.stop_signal(), SIGTERM);
}

TEST(SignalWatchDeathTest, ALaterRepeatEndsTheProcessAndSaysSo) {
  auto twice = [](int number) {
    SignalWatch watch;
    watch.begin();
    std::raise(SIGTERM);
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    std::raise(number);
  };
  EXPECT_EXIT(twice(SIGTERM), testing::ExitedWithCode(143),
              "stopped at once by a repeated SIGTERM without saving");
  EXPECT_EXIT(twice(SIGINT), testing::ExitedWithCode(130), "repeated SIGINT without saving");
}

TEST(SignalWatchDeathTest, RepeatsThatComeAfterItEndNoProcessThatIsLeaving) {
  auto late = [] {
    StartupSignals startup;
    {
      SignalWatch watch;
      watch.begin();
      std::raise(SIGTERM);
    }
    std::raise(SIGTERM);
    std::_Exit(7);
  };
  EXPECT_EXIT(late(), testing::ExitedWithCode(7), "^$");
}

TEST(SignalWatch, TellsOfARequestWithoutTakingIt) {
  SignalWatch watch;
  watch.begin();
  EXPECT_FALSE(watch.has_request());
  std::raise(SIGUSR1);
  EXPECT_TRUE(watch.has_request());
  EXPECT_TRUE(watch.take().save);
  EXPECT_FALSE(watch.has_request());
  std::raise(SIGINT);
  EXPECT_TRUE(watch.has_request());
}

TEST(StartupSignalsDeathTest, EndTheProcessWithTheNumberOfTheSignal) {
  auto ended_by = [](int number) {
    std::signal(SIGHUP, SIG_DFL);
    StartupSignals startup;
    std::raise(number);
  };
  EXPECT_EXIT(ended_by(SIGTERM), testing::ExitedWithCode(143), "SIGTERM before the first update");
  EXPECT_EXIT(ended_by(SIGINT), testing::ExitedWithCode(130), "SIGINT before the first update");
  EXPECT_EXIT(ended_by(SIGHUP), testing::ExitedWithCode(129), "SIGHUP before the first update");
}

TEST(StartupSignalsDeathTest, KillNothingByARequestToSaveOrAnIgnoredHangUp) {
  auto survives = [] {
    std::signal(SIGHUP, SIG_IGN);
    StartupSignals startup;
    std::raise(SIGHUP);
    std::raise(SIGUSR1);
    std::_Exit(7);
  };
  EXPECT_EXIT(survives(), testing::ExitedWithCode(7),
              "SIGUSR1: nothing to save before the first update");
}

TEST(StartupSignalsDeathTest, LetNoSignalKillInSilence) {
  auto survives = [](int number) {
    const StartupSignals startup;
    std::raise(number);
    {
      SignalWatch watch;
      watch.begin();
      std::raise(number);
    }
    std::_Exit(7);
  };
  EXPECT_EXIT(survives(SIGUSR2), testing::ExitedWithCode(7),
              "SIGUSR2 has no effect.*\n.*SIGUSR2 has no effect");
  EXPECT_EXIT(survives(SIGALRM), testing::ExitedWithCode(7), "SIGALRM has no effect");
  EXPECT_EXIT(survives(SIGXCPU), testing::ExitedWithCode(152), "SIGXCPU before the first update");
}

TEST(SignalWatch, ALimitOfCpuTimeAsksToStopAsOftenAsItTells) {
  SignalWatch watch;
  watch.begin();
  for (int i = 0; i < 2; ++i)
    std::raise(SIGXCPU);
  EXPECT_TRUE(watch.take().stop);
  EXPECT_EQ(watch.stop_signal(), SIGXCPU);
}

TEST(StartupSignals, MakeWritesFailThatWouldKill) {
  auto* before = std::signal(SIGXFSZ, SIG_DFL);
  {
    StartupSignals startup;
    std::raise(SIGXFSZ);
    std::raise(SIGPIPE);
  }
  EXPECT_EQ(std::signal(SIGXFSZ, before), SIG_DFL);
}

TEST(StartupSignals, LeaveTheSignalsToAWatch) {
  StartupSignals startup;
  SignalWatch watch;
  watch.begin();
  std::raise(SIGTERM);
  EXPECT_TRUE(watch.take().stop);
}

TEST(StartupSignals, OfALaterRunForgetTheRequestOfAnEarlierOne) {
  {
    StartupSignals startup;
    SignalWatch watch;
    watch.begin();
    std::raise(SIGTERM);
  }
  StartupSignals startup;
  SignalWatch watch;
  watch.begin();
  EXPECT_FALSE(watch.has_request());
}

TEST(SignalWatch, AHangUpAsksToStopAsOftenAsItComes) {
  auto* before = std::signal(SIGHUP, SIG_DFL);
  {
    SignalWatch watch;
    watch.begin();
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
    watch.begin();
    std::raise(SIGHUP);
    EXPECT_FALSE(watch.take().stop);
  }
  std::signal(SIGHUP, before);
}

TEST(SignalWatch, PutsTheOldHandlersBack) {
  static int num_calls = 0;
  std::signal(SIGUSR1, [](int) { ++num_calls; });
  {
    SignalWatch watch;
    watch.begin();
  }
  std::raise(SIGUSR1);
  EXPECT_EQ(num_calls, 1);
  std::signal(SIGUSR1, SIG_DFL);
}

}  // namespace
}  // namespace meshwright::train
