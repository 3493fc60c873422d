// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/staging_pool.h"

#include <future>

#include <gtest/gtest.h>

namespace meshwright::runtime {
namespace {

TEST(StagingPool, GivesTheSameMemoryAgain) {
  StagingPool pool(1000);
  std::byte* first = pool.take(100).get();
  std::byte* second = nullptr;
  {
    auto one = pool.take(100);
    auto two = pool.take(300);
    EXPECT_EQ(one.get(), first);
    second = two.get();
  }
  EXPECT_EQ(pool.take(300).get(), second);
  EXPECT_EQ(pool.num_bytes(), 400u);
}

TEST(StagingPool, IsAligned) {
  StagingPool pool(10000);
  for (std::size_t size : {1U, 65U, 1000U})
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pool.take(size).get()) % 64, 0u);
}

TEST(StagingPool, NeverHasMoreThanItMay) {
  StagingPool pool(1000);
  auto one = pool.try_take(600);
  EXPECT_EQ(pool.try_take(600), nullptr);
  auto two = pool.try_take(400);
  EXPECT_NE(two, nullptr);
  EXPECT_EQ(pool.try_take(1), nullptr);
  EXPECT_EQ(pool.peak_bytes(), 1000u);
}

TEST(StagingPool, ReplacesBlocksThatAreTooSmall) {
  StagingPool pool(1000);
  pool.take(500);
  auto large = pool.try_take(900);
  EXPECT_NE(large, nullptr);
  EXPECT_EQ(pool.num_bytes(), 900u);
}

TEST(StagingPool, KeepsItsBlocksWhereDroppingThemWouldNotHelp) {
  StagingPool pool(1000);
  auto used = pool.take(600);
  std::byte* small = pool.take(300).get();
  EXPECT_EQ(pool.try_take(500), nullptr);
  EXPECT_EQ(pool.take(300).get(), small);
}

TEST(StagingPool, DoesNotSpendALargeBlockOnASmallPart) {
  StagingPool pool(1000);
  std::byte* large = pool.take(500).get();
  auto small = pool.take(100);
  EXPECT_NE(small.get(), large);
  EXPECT_EQ(pool.take(500).get(), large);
}

TEST(StagingPool, WaitsForRoom) {
  StagingPool pool(100);
  auto one = pool.take(100);
  std::future<std::byte*> later =
      std::async(std::launch::async, [&] { return pool.take(80).get(); });
  one.reset();
  EXPECT_NE(later.get(), nullptr);
}

TEST(StagingPool, GivesTooMuchOnlyAloneAndDoesNotKeepIt) {
  StagingPool pool(100);
  EXPECT_EQ(pool.try_take(200), nullptr);
  EXPECT_NE(pool.take(200), nullptr);
  EXPECT_EQ(pool.num_bytes(), 0u);
}

TEST(StagingPool, MemoryMayComeBackAfterThePool) {
  std::shared_ptr<std::byte> left;
  {
    StagingPool pool(100);
    left = pool.take(50);
  }
  *left = std::byte{1};
}

}  // namespace
}  // namespace meshwright::runtime
