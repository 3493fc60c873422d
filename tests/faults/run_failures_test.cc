// SPDX-License-Identifier: Apache-2.0
// Runs whose own parts fail: exit codes, messages and remaining files.
#include <csignal>
#include <limits>
#include <semaphore>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/log_testutil.h"
#include "meshwright/checkpoint/manager/manager.h"
#include "meshwright/cli/exit_code.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "meshwright/train/trainer/run.h"
#include "meshwright/train/trainer/train_testutil.h"

namespace meshwright::train {
namespace {

using cli::ExitCode;
using testing::HasSubstr;

// Points with one batch that cannot be made.
class FailingPoints : public Points {
 public:
  explicit FailingPoints(std::int64_t step, std::function<void()> how)
      : Points({}, 9), step_(step), how_(std::move(how)) {}
  data::Batch batch(std::int64_t step, data::Rows rows) const override {
    if (step == step_) how_();
    return Points::batch(step, rows);
  }

 private:
  std::int64_t step_;
  std::function<void()> how_;
};

class RunFailuresTest : public testing::Test {
 protected:
  RunFailuresTest() : job_(line_job(folder_.path() / "run")) {}

  cli::Failure failure() {
    try {
      run(job_, runtime::test_client());
    } catch (...) {
      return cli::describe_failure(std::current_exception());
    }
    ADD_FAILURE() << "expected an error";
    return {};
  }

  std::vector<std::int64_t> steps() const {
    return checkpoint::Manager({.folder = folder_.path() / "run" / "checkpoints"}).steps();
  }

  // Returns the digest of an undisturbed run.
  std::uint32_t undisturbed() {
    run(line_job(folder_.path() / "undisturbed"), runtime::test_client());
    return digest_of_newest(folder_.path() / "undisturbed");
  }

  void expect_to_go_on_as_if_nothing_had_been() {
    Job again = line_job(folder_.path() / "run");
    EXPECT_EQ(run(again, runtime::test_client()).step, 8);
    EXPECT_EQ(digest_of_newest(folder_.path() / "run"), undisturbed());
  }

  io::TemporaryFolder folder_;
  Job job_;
  CapturedLog log_;
};

TEST_F(RunFailuresTest, AnEvaluatorThatThrowsEndsTheRunAndSpoilsNothing) {
  job_.eval_sources["held_out"] = std::make_shared<FailingPoints>(
      1, [] { fail(ErrorCode::data_loss, "record 17 of points.txt is no point"); });
  cli::Failure end = failure();
  EXPECT_EQ(end.exit_code, ExitCode::data);
  EXPECT_THAT(end.message, HasSubstr("evaluator 'held_out'"));
  EXPECT_THAT(end.message, HasSubstr("step 4"));
  EXPECT_THAT(end.message, HasSubstr("record 17 of points.txt is no point"));
  EXPECT_EQ(steps(), std::vector<std::int64_t>{2});
  expect_to_go_on_as_if_nothing_had_been();
}

TEST_F(RunFailuresTest, WhatIsThrownThatIsNoErrorOfOursIsABug) {
  job_.source = std::make_shared<FailingPoints>(3, [] { throw std::runtime_error("index 7"); });
  cli::Failure end = failure();
  EXPECT_EQ(end.exit_code, ExitCode::bug);
  EXPECT_THAT(end.message, HasSubstr("batch 3 of source 'points': index 7"));
  expect_to_go_on_as_if_nothing_had_been();
}

TEST_F(RunFailuresTest, ABatchThatCannotBeReadEndsTheRunWhereItIsNeeded) {
  job_.source = std::make_shared<FailingPoints>(
      5, [] { fail(ErrorCode::data_loss, "points.txt is cut short"); });
  cli::Failure end = failure();
  EXPECT_EQ(end.exit_code, ExitCode::data);
  EXPECT_THAT(end.message, HasSubstr("batch 5 of source 'points'"));
  EXPECT_EQ(steps().back(), 4);
  expect_to_go_on_as_if_nothing_had_been();
}

TEST_F(RunFailuresTest, AHungInputIsToldAndEndsTheRun) {
  auto gate = std::make_shared<std::binary_semaphore>(0);
  job_.source = std::make_shared<FailingPoints>(5, [gate] { gate->acquire(); });
  job_.config.prefetch.batches.timeout_seconds =
      3;  // on a busy machine, other work takes part of it
  cli::Failure end = failure();
  gate->release();
  EXPECT_EQ(end.exit_code, ExitCode::retry);
  EXPECT_THAT(end.message, HasSubstr("batch 5 of source 'points' timed out after 3 seconds"));
  expect_to_go_on_as_if_nothing_had_been();
}

// The watchdog knows when the trainer waits.
TEST_F(RunFailuresTest, ARequestToStopIsServedWhileTheInputHangs) {
  auto gate = std::make_shared<std::binary_semaphore>(0);
  job_.source = std::make_shared<FailingPoints>(5, [this, gate] {
    log_.wait_for("at step 5, waiting for data");
    std::raise(SIGTERM);
    gate->acquire();
  });
  job_.config.watchdog.timeout_seconds = 0.2;
  Outcome out = run(job_, runtime::test_client());
  gate->release();
  EXPECT_EQ(out.reason, StopReason::requested);
  EXPECT_EQ(out.stop_signal, SIGTERM);
  EXPECT_EQ(out.step, 5);
  EXPECT_EQ(steps().back(), 5);
  expect_to_go_on_as_if_nothing_had_been();
}

TEST_F(RunFailuresTest, ARunThatIsStoppedBeforeItsFirstEvaluationHasNoResult) {
  job_.source = std::make_shared<FailingPoints>(2, [] { std::raise(SIGINT); });
  job_.config.prefetch.batches.depth = 1;
  const Outcome out = run(job_, runtime::test_client());
  EXPECT_EQ(out.stop_signal, SIGINT);
  EXPECT_EQ(out.find_result("held_out/loss"), std::nullopt);
  EXPECT_TRUE(run(line_job(folder_.path() / "run"), runtime::test_client())
                  .find_result("held_out/loss")
                  .has_value());
}

TEST_F(RunFailuresTest, NoTimeoutIsTooLongForAClock) {
  for (double seconds : {1e10, 1e300, std::numeric_limits<double>::infinity()}) {
    job_.fresh = true;
    job_.config.watchdog = {.timeout_seconds = seconds, .crash_on_hang = true};
    job_.config.prefetch.batches.timeout_seconds = seconds;
    EXPECT_EQ(run(job_, runtime::test_client()).step, 8) << seconds;
  }
  EXPECT_EQ(log_.text().find("watchdog: "), std::string::npos) << log_.text();
}

TEST_F(RunFailuresTest, TheWatchdogTellsWhereAHungInputIsWaitedFor) {
  job_.source =
      std::make_shared<FailingPoints>(5, [this] { log_.wait_for("at step 5, waiting for data"); });
  job_.config.watchdog.timeout_seconds = 0.2;
  EXPECT_EQ(run(job_, runtime::test_client()).step, 8);
}

TEST_F(RunFailuresTest, ANanInTheDataIsStoppedSkippedOrLeftBehind) {
  job_.source = std::make_shared<Points>(std::set<std::int64_t>{4});
  EXPECT_EQ(failure().exit_code, ExitCode::numerics);
  EXPECT_EQ(steps().back(), 4);
  for (OnNonFinite action : {OnNonFinite::skip, OnNonFinite::rewind}) {
    Job job = line_job(folder_.path() / "run", {4});
    job.config.step.non_finite.action = action;
    job.fresh = true;
    EXPECT_EQ(run(job, runtime::test_client()).step, 8);
    EXPECT_NE(digest_of_newest(folder_.path() / "run"), undisturbed());
  }
}

}  // namespace
}  // namespace meshwright::train
