// SPDX-License-Identifier: Apache-2.0
// The time accounts that runs report.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/log_testutil.h"
#include "meshwright/checkpoint/manager/manager.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/pjrt/kernel.h"
#include "meshwright/pjrt/kernel_call.h"
#include "meshwright/train/report/pace.h"
#include "meshwright/train/report/time_account.h"
#include "meshwright/train/trainer/run.h"
#include "meshwright/train/trainer/train_testutil.h"

namespace meshwright::train {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class RunTimesTest : public testing::Test {
 protected:
  Outcome train(const Job& job) { return run(job, caching_client()); }
  Job job() const { return line_job(folder()); }
  fs::path folder() const { return root_.path() / "run"; }
  TimeSpent told() const {
    return last_told(*io::open_file_system(folder().string()), "metrics.jsonl");
  }
  // Returns the account in the newest checkpoint.
  TimeSpent saved() const {
    checkpoint::Manager manager({.folder = folder() / "checkpoints", .read_only = true});
    return time_spent(manager.restore_newest()->meta.find("time_spent"));
  }

  io::TemporaryFolder root_;
  CapturedLog log_;
};

// Points whose batches take time to make.
class SlowPoints : public Points {
 public:
  static constexpr double kSeconds = 0.02;
  data::Batch batch(std::int64_t step, data::Rows rows) const override {
    std::this_thread::sleep_for(std::chrono::duration<double>(kSeconds));
    return Points::batch(step, rows);
  }
};

TEST_F(RunTimesTest, ARunSaysWhereItsTimeWent) {
  Job slow = job();
  slow.source = std::make_shared<SlowPoints>();
  slow.config.max_step = 16;
  slow.config.checkpoint.when = When{AtSteps{.steps = {16}}};
  slow.config.evaluators["held_out"].when = When{AtSteps{.steps = {16}}};
  slow.began_seconds = steady_seconds() - 1000;
  train(slow);
  EXPECT_THAT(log_.text(), HasSubstr("time: 16m 4"));
  EXPECT_THAT(log_.text(), HasSubstr("since the run began: steps "));
  const TimeSpent spent = told();
  EXPECT_GT(spent[Spent::starting], 1000);
  for (Spent what :
       {Spent::compiling, Spent::restoring, Spent::steps, Spent::evaluating, Spent::saving})
    EXPECT_GT(spent[what], 0) << static_cast<int>(what);
  // All except the batches made while the step is compiled.
  EXPECT_GT(spent[Spent::data_wait], 3 * SlowPoints::kSeconds);
  EXPECT_EQ(spent[Spent::lost], 0);
  EXPECT_LT(saved().total(), spent.total());
}

/// y = x, on a device that blocks until it is released.
struct Busy {
  static constexpr std::string_view kName = "mw_test_busy";
  static constexpr int kAbiVersion = 1;
  static inline std::atomic<bool> is_running, is_free;
  static void run(pjrt::KernelCall& call) {
    std::ranges::copy(call.input(0).values<float>(), call.output(0).values<float>().begin());
    is_running = true;
    is_running.notify_all();
    is_free.wait(false);
  }
};

/// Has enough work that the CPU plugin does not run it inline.
class BusyTask : public KernelLineTask {
 public:
  BusyTask() : KernelLineTask(Busy::kName) {}
  TaskLoss loss(const TaskInput& input) const override {
    TaskLoss out = KernelLineTask::loss(input);
    Value many = graph::iota(f32, {100, 100}, 0) * input.params.at("line/b").value();
    out.metrics["sum"] = {graph::reduce_sum(square(many), {0, 1}), graph::constant(1.0, f32)};
    return out;
  }
};

// The second batch takes time, and the first step as long.
class LateSecondBatch : public Points {
 public:
  static constexpr double kSeconds = 0.2;
  data::Batch batch(std::int64_t step, data::Rows rows) const override {
    if (step == 1) {
      Busy::is_running.wait(false);
      std::this_thread::sleep_for(std::chrono::duration<double>(kSeconds));
      Busy::is_free = true;
      Busy::is_free.notify_all();
    }
    return Points::batch(step, rows);
  }
};

TEST_F(RunTimesTest, WaitingForDataCostsNothingWhileTheDevicesCompute) {
  caching_client().add_kernel(pjrt::kernel<Busy>());
  Job busy = job();
  busy.task = std::make_shared<BusyTask>();
  busy.source = std::make_shared<LateSecondBatch>();
  busy.config.evaluators.clear();
  busy.config.max_step = 2;
  train(busy);
  EXPECT_GT(told()[Spent::steps], LateSecondBatch::kSeconds);
  EXPECT_LT(told()[Spent::data_wait], LateSecondBatch::kSeconds / 2);
}

TEST_F(RunTimesTest, TimesGoOnOverInterruptions) {
  Job half = job();
  half.config.max_step = 4;
  train(half);
  const TimeSpent then = told();
  train(job());
  const TimeSpent now = told();
  for (std::size_t i = 0; i < kNumSpent; ++i)
    EXPECT_GE(now.seconds[i], then.seconds[i]) << i;
  EXPECT_GT(now[Spent::steps], then[Spent::steps]);
  EXPECT_GT(saved()[Spent::steps], then[Spent::steps]);
}

// As after a kill: only the steps since the checkpoint are lost.
TEST_F(RunTimesTest, StepsAfterTheLastCheckpointAreLost) {
  Job first = job();
  first.config.checkpoint.when = When{AtSteps{.steps = {3}}};
  first.config.max_step = 6;
  train(first);
  const TimeSpent before = told(), kept = saved();
  ASSERT_LT(kept[Spent::steps], before[Spent::steps]);
  train(job());
  EXPECT_THAT(log_.text(), HasSubstr("restored the checkpoint of step 3"));
  EXPECT_NEAR(told()[Spent::lost], before[Spent::steps] - kept[Spent::steps], 1e-9);
  EXPECT_THAT(log_.text(), HasSubstr("lost steps"));
}

TEST_F(RunTimesTest, StepsBeforeARewindAreLost) {
  Job job = line_job(folder(), {5});
  job.config.step.non_finite.action = OnNonFinite::rewind;
  train(job);
  EXPECT_GT(told()[Spent::lost], 0);
}

TEST_F(RunTimesTest, ARunThatIsDoneAddsNothing) {
  train(job());
  const TimeSpent then = told();
  log_.clear();
  train(job());
  EXPECT_EQ(told().seconds, then.seconds);
  EXPECT_THAT(log_.text(), Not(HasSubstr("since the run began")));
}

}  // namespace
}  // namespace meshwright::train
