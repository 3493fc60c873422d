// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/ordered_tasks.h"

#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"

namespace meshwright {
namespace {

TEST(OrderedTasks, ReturnsResultsInOrder) {
  std::latch later_is_done(1);
  OrderedTasks<int> tasks(2);
  tasks.push([&] {
    later_is_done.wait();
    return 1;
  });
  tasks.push([&] {
    later_is_done.count_down();
    return 2;
  });
  EXPECT_EQ(tasks.pop(), 1);
  EXPECT_EQ(tasks.pop(), 2);
  EXPECT_TRUE(tasks.is_empty());
}

TEST(OrderedTasks, IsFullWithTwoResultsPerThread) {
  OrderedTasks<int> tasks(2);
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(tasks.is_full());
    tasks.push([i] { return i; });
  }
  EXPECT_TRUE(tasks.is_full());
  tasks.pop();
  EXPECT_FALSE(tasks.is_full());
}

TEST(OrderedTasks, ThrowsTheErrorInPlaceOfTheResult) {
  OrderedTasks<int> tasks(1);
  tasks.push([]() -> int { fail(ErrorCode::data_loss, "no result"); });
  tasks.push([] { return 2; });
  EXPECT_EQ(message_of([&] { tasks.pop(); }), "no result");
  EXPECT_EQ(tasks.pop(), 2);
}

TEST(OrderedTasks, DropsTasksThatHaveNotStarted) {
  std::atomic<int> num_run = 0;
  {
    OrderedTasks<std::unique_ptr<int>> tasks(1);
    for (int i = 0; i < 100; ++i) {
      tasks.push([&] {
        ++num_run;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return std::make_unique<int>(1);
      });
    }
  }
  EXPECT_LT(num_run, 100);
}

}  // namespace
}  // namespace meshwright
