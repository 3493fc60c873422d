// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/pending_reads.h"

#include <chrono>
#include <semaphore>
#include <thread>

#include <gtest/gtest.h>

namespace meshwright::io {
namespace {

TEST(PendingReads, AreThoseInProgressTheLongestFirst) {
  EXPECT_FALSE(find_longest_read());
  const std::string first = "first", second = "second";
  std::binary_semaphore has_begun(0), may_end(0);
  std::thread reader([&] {
    const ReadInProgress reading(first, 4096);
    has_begun.release();
    may_end.acquire();
  });
  has_begun.acquire();
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  {
    const ReadInProgress reading(second, 8);
    const std::optional<PendingRead> longest = find_longest_read();
    ASSERT_TRUE(longest);
    EXPECT_EQ(longest->file, "first");
    EXPECT_EQ(longest->offset, 4096u);
    EXPECT_GT(longest->seconds, 0.001);
    may_end.release();
    reader.join();
    EXPECT_EQ(find_longest_read().value().file, "second");
  }
  EXPECT_FALSE(find_longest_read());
}

}  // namespace
}  // namespace meshwright::io
