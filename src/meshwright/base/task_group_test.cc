// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/task_group.h"

#include <atomic>
#include <latch>
#include <memory>

#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"

namespace meshwright {
namespace {

std::string join_message(TaskGroup& group) {
  return message_of([&] { group.join(); });
}

TEST(TaskGroup, RunsEveryTask) {
  std::atomic<int> sum = 0;
  TaskGroup group(3);
  for (int i = 1; i <= 100; ++i)
    group.run([&sum, i] { sum += i; });
  group.join();
  EXPECT_EQ(sum, 5050);
}

TEST(TaskGroup, RunsAsManyTasksAtOnceAsItHasThreads) {
  std::latch all_started(4);
  TaskGroup group(4);
  for (int i = 0; i < 4; ++i)
    group.run([&] { all_started.arrive_and_wait(); });
  group.join();
}

TEST(TaskGroup, RunsNoMoreTasksAtOnceThanItHasThreads) {
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  TaskGroup group(2);
  for (int i = 0; i < 50; ++i) {
    group.run([&] {
      int now = ++running;
      int seen = most;
      while (now > seen && !most.compare_exchange_weak(seen, now)) {
      }
      std::this_thread::yield();
      --running;
    });
  }
  group.join();
  EXPECT_LE(most, 2);
}

TEST(TaskGroup, JoinThrowsTheFirstErrorAndTheGroupGoesOn) {
  TaskGroup group(1);
  group.run([] { fail(ErrorCode::data_loss, "first"); });
  group.run([] { fail(ErrorCode::data_loss, "second"); });
  EXPECT_EQ(join_message(group), "first");
  bool ran = false;
  group.run([&] { ran = true; });
  EXPECT_EQ(join_message(group), "no error");
  EXPECT_TRUE(ran);
}

TEST(TaskGroup, DropsQueuedTasksAfterAnError) {
  std::atomic<int> ran = 0;
  std::latch queued(1);
  TaskGroup group(1);
  group.run([&] {
    queued.wait();
    fail(ErrorCode::unavailable, "no disk");
  });
  for (int i = 0; i < 10; ++i)
    group.run([&] { ++ran; });
  queued.count_down();
  EXPECT_EQ(join_message(group), "no disk");
  EXPECT_EQ(ran, 0);
}

TEST(TaskGroup, TasksSeeThatAnotherFailed) {
  bool seen = false;
  TaskGroup group(2);
  group.run([&] {
    while (!group.is_failed())
      std::this_thread::yield();
    seen = true;
  });
  group.run([] { fail(ErrorCode::internal, "here"); });
  EXPECT_EQ(join_message(group), "here");
  EXPECT_TRUE(seen);
}

TEST(TaskGroup, ATaskMayRunAnother) {
  std::atomic<int> ran = 0;
  TaskGroup group(1);
  group.run([&] {
    ++ran;
    group.run([&] { ++ran; });
  });
  group.join();
  EXPECT_EQ(ran, 2);
}

TEST(TaskGroup, LeavesNothingOfATaskBehind) {
  auto held = std::make_shared<int>(1);
  TaskGroup group;
  group.run([held] {});
  group.join();
  EXPECT_EQ(held.use_count(), 1);
}

TEST(TaskGroupDeathTest, TerminatesIfDestroyedUnjoined) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        TaskGroup group;
        group.run([] {});
      },
      "destroyed without join");
}

TEST(TaskGroup, WaitsWhileAnotherExceptionPasses) {
  std::atomic<bool> is_done = false;
  std::latch started(1);
  try {
    TaskGroup group;
    group.run([&] {
      started.count_down();
      std::this_thread::yield();
      is_done = true;
      fail(ErrorCode::internal, "dropped");
    });
    started.wait();
    fail(ErrorCode::data_loss, "on the way");
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "on the way");
  }
  EXPECT_TRUE(is_done);
}

}  // namespace
}  // namespace meshwright
