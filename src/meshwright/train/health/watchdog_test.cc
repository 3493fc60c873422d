// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/health/watchdog.h"

#include <atomic>
#include <future>
#include <semaphore>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include "meshwright/base/log_testutil.h"
#include "meshwright/train/health/thread_stacks.h"

namespace meshwright::train {
namespace {

// A thread with this name that waits until it is released.
class StuckThread {
 public:
  StuckThread() {
    std::promise<void> ready;
    thread_ = std::thread([&] {
      pthread_setname_np(pthread_self(), "stuck_here");
      ready.set_value();
      release_.get_future().wait();
    });
    ready.get_future().wait();
  }
  ~StuckThread() {
    release_.set_value();
    thread_.join();
  }

 private:
  std::promise<void> release_;
  std::thread thread_;
};

TEST(ThreadStacks, ShowEveryThreadWithItsFrames) {
  StuckThread stuck;
  prepare_thread_stacks();
  std::string text = thread_stacks();
  std::size_t at = text.find("Thread: stuck_here(");
  ASSERT_NE(at, std::string::npos) << text;
  std::string frames = text.substr(at, text.find("Thread: ", at + 1) - at);
  EXPECT_NE(frames.find("\n>>> "), std::string::npos) << frames;
  EXPECT_EQ(frames.find("no answer"), std::string::npos) << frames;
}

TEST(ThreadStacks, GiveOffsetsInFunctionAndModuleInHexadecimal) {
  StuckThread stuck;
  prepare_thread_stacks();
  const std::string text = thread_stacks();
  const std::string frames = text.substr(text.find("Thread: stuck_here("));
  EXPECT_THAT(frames,
              testing::ContainsRegex("\n>>> [^ ]+\\+0x[0-9a-f]+ \\([^ ]+\\+0x[0-9a-f]+\\)\n"));
}

TEST(Watchdog, ReportsAHangWithStepPhaseAndThreads) {
  StuckThread stuck;
  std::promise<std::string> report;
  ScopedLogHandler handler([&, is_first = true](Severity, std::string_view message) mutable {
    if (std::exchange(is_first, false)) report.set_value(std::string(message));
  });
  std::promise<void> crashed;
  Watchdog watchdog({.timeout_seconds = 0.02, .crash_on_hang = true},
                    {.crash = [&] { crashed.set_value(); }});
  watchdog.record_progress(7, "waiting for data");
  std::string text = report.get_future().get();
  EXPECT_NE(text.find("at step 7, waiting for data"), std::string::npos) << text;
  EXPECT_NE(text.find("Thread: stuck_here("), std::string::npos) << text;
  crashed.get_future().wait();
}

TEST(Watchdog, ReportsEveryHangOnce) {
  CapturedLog log;
  std::counting_semaphore<> looked(0);
  Watchdog watchdog({.timeout_seconds = 0.01}, {.looked = [&] { looked.release(); }});
  for (const char* phase : {"waiting for data", "saving"}) {
    watchdog.record_progress(3, phase);
    log.wait_for(str("at step 3, ", phase));
    log.clear();
    for (int i = 0; i < 3; ++i)
      looked.acquire();
    EXPECT_EQ(log.text(), "");
  }
}

TEST(Watchdog, IsQuietWhilePaused) {
  CapturedLog log;
  std::counting_semaphore<> looked(0);
  Watchdog watchdog({.timeout_seconds = 0.01}, {.looked = [&] { looked.release(); }});
  log.wait_for("starting");
  watchdog.record_progress(3, "compiling");
  Watchdog::Pause pause(watchdog);
  // A hang detected before the pause may be reported until the next check is over.
  while (looked.try_acquire()) {
  }
  looked.acquire();
  log.clear();
  for (int i = 0; i < 5; ++i)
    looked.acquire();
  EXPECT_EQ(log.text(), "");
}

TEST(Watchdog, IsOffWithATimeoutOfZero) {
  std::atomic<int> num_looks = 0;
  {
    Watchdog watchdog({.timeout_seconds = 0}, {.looked = [&] { ++num_looks; }});
    watchdog.record_progress(1, "starting an update");
    const Watchdog::Pause pause(watchdog);
  }
  EXPECT_EQ(num_looks, 0);
}

TEST(Watchdog, EndsAtOnceHoweverLongItsTimeout) {
  Watchdog watchdog({.timeout_seconds = 1e6});
}

}  // namespace
}  // namespace meshwright::train
