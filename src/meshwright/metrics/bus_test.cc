// SPDX-License-Identifier: Apache-2.0
#include "meshwright/metrics/bus.h"

#include <mutex>
#include <semaphore>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/log.h"

namespace meshwright::metrics {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The records that the sinks received, and the messages logged.
struct Seen {
  std::mutex mutex;
  std::vector<std::int64_t> steps;
  std::vector<std::int64_t> reports;
  int num_histograms = 0;
  std::vector<std::string> messages;
};

class TestSink : public Sink {
 public:
  explicit TestSink(Seen& seen, std::function<void(std::int64_t)> before = {})
      : seen_(seen), before_(std::move(before)) {}
  std::string name() const override { return "test"; }
  void write(const Record& record) override {
    if (before_) before_(record.step);
    std::lock_guard lock(seen_.mutex);
    seen_.steps.push_back(record.step);
    for (const Entry& entry : record.entries)
      seen_.num_histograms += std::holds_alternative<Histogram>(entry.value) ? 1 : 0;
  }
  void report(const Progress& progress) override { seen_.reports.push_back(progress.step); }

 private:
  Seen& seen_;
  std::function<void(std::int64_t)> before_;
};

std::vector<std::unique_ptr<Sink>> sinks_of(Seen& seen, std::function<void(std::int64_t)> before) {
  std::vector<std::unique_ptr<Sink>> out;
  out.push_back(std::make_unique<TestSink>(seen, std::move(before)));
  return out;
}

class BusTest : public ::testing::Test {
 protected:
  Seen seen;
  ScopedLogHandler handler{[this](Severity severity, std::string_view text) {
    std::lock_guard lock(seen.mutex);
    seen.messages.push_back(log_line(severity, text));
  }};
};

const std::vector<Entry> kLoss = {{"loss", 0.5}};

TEST_F(BusTest, GivesRecordsToAllSinksInOrder) {
  auto sinks = sinks_of(seen, {});
  Seen other;
  sinks.push_back(std::make_unique<TestSink>(other));
  Bus bus(std::move(sinks));
  for (std::int64_t step : {1, 2, 3})
    bus.write(step, kLoss);
  bus.report({.step = 3, .seconds_per_step = 0.1});
  bus.flush();
  EXPECT_THAT(seen.steps, ElementsAre(1, 2, 3, 3));
  EXPECT_THAT(other.steps, ElementsAre(1, 2, 3, 3));
  EXPECT_THAT(seen.reports, ElementsAre(3));
}

TEST_F(BusTest, MakesTheHistogramsItself) {
  Bus bus(sinks_of(seen, {}));
  bus.write(1, {{"w", Distribution{HostTensor(ArrayType{f32, {8}})}}});
  bus.flush();
  EXPECT_EQ(seen.num_histograms, 1);
}

TEST_F(BusTest, WritesWhatIsLeftAtTheEnd) {
  {
    Bus bus(sinks_of(seen, {}));
    for (std::int64_t step = 0; step < 100; ++step)
      bus.write(step, kLoss);
  }
  EXPECT_EQ(seen.steps.size(), 100u);
}

TEST_F(BusTest, OtherProcessesWriteNothing) {
  Bus bus(sinks_of(seen, {}), {.is_writer = false});
  bus.write(1, kLoss);
  bus.report({.step = 1});
  bus.flush();
  EXPECT_THAT(seen.steps, ElementsAre());
}

TEST_F(BusTest, ASlowSinkStallsNobodyAndLosesWhatIsTooMuch) {
  std::counting_semaphore<> may_write(0), is_writing(0);
  Bus bus(sinks_of(seen,
                   [&](std::int64_t) {
                     is_writing.release();
                     may_write.acquire();
                   }),
          {.max_queue = 3});
  bus.write(0, kLoss);
  is_writing.acquire();  // the queue is empty now
  for (std::int64_t step = 1; step <= 10; ++step)
    bus.write(step, kLoss);
  may_write.release(20);
  bus.flush();
  EXPECT_THAT(seen.steps, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(bus.num_lost(), 7);
  EXPECT_THAT(seen.messages,
              ElementsAre("warning: metrics: 3 records are queued; new ones are dropped\n",
                          "warning: metrics: 7 records were dropped\n"));
}

TEST_F(BusTest, AFailingSinkIsReportedOnceAndTriedAgain) {
  {
    Bus bus(sinks_of(seen, [](std::int64_t step) {
      if (step >= 2 && step <= 4) fail(ErrorCode::unavailable, "no space left");
      if (step == 9) throw std::bad_alloc();
    }));
    for (std::int64_t step = 1; step <= 9; ++step)
      bus.write(step, kLoss);
    bus.flush();
    EXPECT_EQ(bus.num_lost(), 4);
  }
  EXPECT_THAT(seen.steps, ElementsAre(1, 5, 6, 7, 8));
  EXPECT_THAT(seen.messages,
              ElementsAre(HasSubstr("test failed at step 2; the run continues and keeps "
                                    "retrying: no space left"),
                          "metrics: test recovered at step 5; 3 records were lost\n",
                          HasSubstr("test failed at step 9"),
                          "warning: metrics: the last 1 records were not written to test\n"));
}

}  // namespace
}  // namespace meshwright::metrics
