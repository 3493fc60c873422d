// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/pipeline/prefetcher.h"

#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <semaphore>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/log.h"
#include "meshwright/data/core/source_testutil.h"

namespace meshwright::data {
namespace {

// Batch k is the number k, made after calling `before(k)`.
class Steps : public Source {
 public:
  explicit Steps(std::function<void(std::int64_t)> before = {},
                 std::optional<std::int64_t> num_batches = {})
      : before_(std::move(before)), num_batches_(num_batches) {
    spec_["step"] = array_spec(s32, {1}, "batch");
  }
  std::string name() const override { return "steps"; }
  const BatchSpec& spec() const override { return spec_; }
  std::optional<std::int64_t> num_batches() const override { return num_batches_; }
  Tree<Scalar> identity() const override { return {}; }
  Batch batch(std::int64_t step, Rows) const override {
    if (before_) before_(step);
    Batch out;
    out["step"] = HostTensor::from<std::int32_t>({static_cast<std::int32_t>(step)}, {1});
    return out;
  }

 private:
  std::function<void(std::int64_t)> before_;
  std::optional<std::int64_t> num_batches_;
  BatchSpec spec_;
};

std::int32_t value_of(const std::optional<Batch>& batch) {
  return ints(batch.value(), "step").at(0);
}

TEST(Prefetcher, GivesBatchesInOrderOnAnyNumberOfThreads) {
  for (int num_threads : {1, 4}) {
    Prefetcher prefetcher(std::make_shared<Steps>(),
                          {.first_step = 10, .num_threads = num_threads, .depth = 3});
    for (int step = 10; step < 200; ++step)
      ASSERT_EQ(value_of(prefetcher.next()), step);
    EXPECT_EQ(prefetcher.next_step(), 200);
  }
}

// Limits the address space to the stacks of a few more threads while it lives.
class LittleRoom {
 public:
  LittleRoom() {
    std::ifstream statm("/proc/self/statm");
    rlim_t num_pages = 0;
    statm >> num_pages;
    getrlimit(RLIMIT_AS, &before_);
    rlimit little = before_;
    little.rlim_cur = num_pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (rlim_t{64} << 20);
    setrlimit(RLIMIT_AS, &little);
  }
  ~LittleRoom() { setrlimit(RLIMIT_AS, &before_); }
  LittleRoom(const LittleRoom&) = delete;
  LittleRoom& operator=(const LittleRoom&) = delete;

 private:
  rlimit before_{};
};

TEST(Prefetcher, EndsTheThreadsThereAreIfOthersCannotBeStarted) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer needs the address space";
#endif
  std::string message;
  {
    const LittleRoom room;
    message = message_of(
        [] { Prefetcher(std::make_shared<Steps>(), {.num_threads = 1000, .depth = 1}); });
  }
  EXPECT_THAT(message, testing::AllOf(testing::HasSubstr("of 1000 threads could be started"),
                                      testing::HasSubstr("\nuse fewer threads: prefetch.threads")));
}

TEST(Prefetcher, EndsWithTheSource) {
  Prefetcher prefetcher(std::make_shared<Steps>(nullptr, 3), {.first_step = 1});
  EXPECT_EQ(value_of(prefetcher.next()), 1);
  EXPECT_EQ(value_of(prefetcher.next()), 2);
  EXPECT_EQ(prefetcher.next(), std::nullopt);
  EXPECT_EQ(prefetcher.next(), std::nullopt);
}

TEST(Prefetcher, EndsWhereItIsToldTo) {
  std::atomic<std::int64_t> furthest = 0;
  auto source = std::make_shared<Steps>([&](std::int64_t step) { furthest = step; });
  Prefetcher prefetcher(source, {.end_step = 2, .num_threads = 1});
  EXPECT_EQ(value_of(prefetcher.next()), 0);
  EXPECT_EQ(value_of(prefetcher.next()), 1);
  EXPECT_EQ(prefetcher.next(), std::nullopt);
  EXPECT_EQ(furthest, 1);
}

TEST(Prefetcher, MakesNoMoreThanItsDepthAhead) {
  std::atomic<std::int64_t> furthest = 0;
  std::counting_semaphore<> made(0);
  auto source = std::make_shared<Steps>([&](std::int64_t step) {
    std::int64_t before = furthest;
    while (before < step && !furthest.compare_exchange_weak(before, step)) {
    }
    made.release();
  });
  Prefetcher prefetcher(source, {.num_threads = 3, .depth = 2});
  for (std::int64_t taken = 0; taken < 50; ++taken) {
    EXPECT_LE(furthest, taken + 1);
    made.acquire();
    prefetcher.next();
  }
}

TEST(Prefetcher, AnErrorComesWhenItsBatchIsDueAndStays) {
  auto source = std::make_shared<Steps>([](std::int64_t step) {
    if (step == 2) fail(ErrorCode::data_loss, "a damaged record");
  });
  Prefetcher prefetcher(source, {.num_threads = 2, .depth = 8});
  EXPECT_EQ(value_of(prefetcher.next()), 0);
  EXPECT_EQ(value_of(prefetcher.next()), 1);
  for (int i = 0; i < 2; ++i) {
    const Error error = thrown_by([&] { prefetcher.next(); });
    EXPECT_EQ(error.code(), ErrorCode::data_loss);
    EXPECT_STREQ(error.what(), "data: batch 2 of source 'steps': a damaged record");
  }
}

TEST(Prefetcher, ForeignExceptionsBecomeErrors) {
  auto source = std::make_shared<Steps>([](std::int64_t) { throw std::out_of_range("index"); });
  Prefetcher prefetcher(source, {});
  EXPECT_THAT([&] { prefetcher.next(); }, throws_with("batch 0 of source 'steps': index"));
}

TEST(Prefetcher, SaysWhichSourceHangs) {
  std::binary_semaphore may_go(0);
  auto source = std::make_shared<Steps>([&](std::int64_t step) {
    if (step == 1) may_go.acquire();
  });
  Prefetcher prefetcher(source, {.num_threads = 1, .timeout_seconds = 0.02});
  while (prefetcher.next_step() == 0) {
    try {
      prefetcher.next();
    } catch (const Error&) {  // on a busy machine the thread may not have started yet
    }
  }
  EXPECT_THAT([&] { prefetcher.next(); },
              throws_with("batch 1 of source 'steps' timed out after 0.02 seconds"));
  EXPECT_GE(prefetcher.wait_seconds(), 0.02);
  may_go.release();
}

TEST(Prefetcher, TellsWhetherABatchIsReady) {
  std::binary_semaphore may_go(0);
  auto source = std::make_shared<Steps>([&](std::int64_t) { may_go.acquire(); }, 1);
  Prefetcher prefetcher(source, {.num_threads = 1});
  EXPECT_FALSE(prefetcher.is_ready_within(0.01));
  EXPECT_GE(prefetcher.wait_seconds(), 0.01);
  may_go.release();
  EXPECT_TRUE(prefetcher.is_ready_within(60));
  EXPECT_EQ(value_of(prefetcher.next()), 0);
  EXPECT_TRUE(prefetcher.is_ready_within(60)) << "the end";
}

TEST(Prefetcher, StopsWaitingWhenAskedTo) {
  std::binary_semaphore may_go(0);
  auto source = std::make_shared<Steps>([&](std::int64_t) { may_go.acquire(); }, 1);
  Prefetcher prefetcher(source, {.num_threads = 1});
  int num_asked = 0;
  EXPECT_FALSE(prefetcher.wait_unless([&] { return ++num_asked == 2; }));
  may_go.release();
  EXPECT_TRUE(prefetcher.wait_unless({}));
  EXPECT_EQ(value_of(prefetcher.next()), 0);
}

TEST(Prefetcher, WhoAsksMeanwhileGivesUpInTime) {
  std::binary_semaphore may_go(0);
  auto source = std::make_shared<Steps>([&](std::int64_t) { may_go.acquire(); }, 1);
  Prefetcher prefetcher(source, {.num_threads = 1, .timeout_seconds = 0.02});
  EXPECT_THAT([&] { prefetcher.wait_unless([] { return false; }); },
              throws_with("timed out after 0.02 seconds"));
  may_go.release();
}

TEST(Prefetcher, LeavesAHangingThreadBehind) {
  std::string warning;
  ScopedLogHandler handler([&](Severity, std::string_view text) { warning = text; });
  auto gate = std::make_shared<std::binary_semaphore>(0);
  std::binary_semaphore hangs(0);
  {
    auto source = std::make_shared<Steps>([gate, &hangs](std::int64_t) {
      hangs.release();
      gate->acquire();
    });
    Prefetcher prefetcher(source, {.num_threads = 1, .timeout_seconds = 0.01, .end_seconds = 0.01});
    hangs.acquire();
    EXPECT_THAT([&] { prefetcher.next(); }, throws_with("timed out"));
  }
  EXPECT_THAT(warning, ::testing::HasSubstr("source 'steps' does not return"));
  gate->release();
}

TEST(Prefetcher, EndsInTheMiddleOfThings) {
  for (int i = 0; i < 50; ++i) {
    Prefetcher prefetcher(std::make_shared<Steps>(), {.num_threads = 3});
    if (i % 2 == 0) prefetcher.next();
  }
}

TEST(Prefetcher, RefusesNumbersThatAreNotPositive) {
  EXPECT_THAT([] { Prefetcher(std::make_shared<Steps>(), {.depth = 0}); },
              throws_with("depth is 0"));
}

}  // namespace
}  // namespace meshwright::data
