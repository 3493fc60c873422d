// SPDX-License-Identifier: Apache-2.0
// Ways to save. With all of them, a resumed run is bitwise equal to an uninterrupted one.
#include <csignal>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/log.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/checkpoint/manager/manager.h"
#include "meshwright/optim/optimizers/adamw.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "meshwright/runtime/snapshot.h"
#include "meshwright/train/step/step_runner.h"
#include "meshwright/train/trainer/run.h"
#include "meshwright/train/trainer/train_testutil.h"

namespace meshwright::train {
namespace {

namespace fs = std::filesystem;
using checkpoint::SnapshotKind;
using testing::ElementsAre;

const Placement kSpread{.mesh = mesh::Mesh({{"data", 2}, {"fsdp", 4}}),
                        .params = {{"feature", {"fsdp"}}},
                        .activations = {{"batch", {"data", "fsdp"}}}};

std::vector<std::vector<double>> values(const StepRunner& runner) {
  std::vector<std::vector<double>> out;
  for (const runtime::DeviceArray& array : leaves(runner.state()))
    out.push_back(array.to_host().to_doubles());
  return out;
}

TEST(StepRunner, LeavesAStateAloneThatIsHeld) {
  const LineTask task;
  const Points points;
  const TrainingSetup setup(
      task, optim::learn_by(optim::adamw({.learning_rate = optim::constant(0.1)})), kSpread);
  StepRunner donating(runtime::test_client(), setup, points.spec(), {});
  StepRunner holding(runtime::test_client(), setup, points.spec(), {}, /*can_hold=*/true);
  donating.init(3);
  holding.init(3);
  EXPECT_FALSE(donating.may_hold());
  while (!holding.may_hold())
    std::this_thread::yield();

  runtime::StagingPool pool(0);
  std::optional<State> held;
  std::vector<std::vector<double>> held_values;
  std::optional<runtime::Snapshot> snapshot;
  for (int step = 0; step < 6; ++step) {
    if (step == 2) {
      held = holding.state();
      held_values = values(holding);
      snapshot = runtime::snapshot(leaves(*held), pool, {.hold = true});
    }
    donating.update(data::whole_batch(points, step));
    holding.update(data::whole_batch(points, step));
    EXPECT_EQ(values(holding), values(donating)) << "after step " << step;
  }
  std::vector<std::vector<double>> now;
  for (const runtime::DeviceArray& array : leaves(*held))
    now.push_back(array.to_host().to_doubles());
  EXPECT_EQ(now, held_values);
}

class SavingRuns : public testing::Test {
 protected:
  Outcome train(const Job& job) { return run(job, caching_client()); }
  fs::path folder(const std::string& name) const { return folder_.path() / name; }
  std::vector<std::int64_t> steps(const std::string& name) const {
    return checkpoint::Manager({.folder = folder(name) / "checkpoints", .read_only = true}).steps();
  }

  io::TemporaryFolder folder_;
  std::string log_;
  ScopedLogHandler handler_{[this](Severity, std::string_view text) { log_ += text; }};
};

TEST_F(SavingRuns, ResumeBitByBitHoweverAndInWhateverFormatTheySave) {
  train(line_job(folder("whole")));
  const checkpoint::SaveOptions ways[] = {{},
                                          {.snapshot = SnapshotKind::hold},
                                          {.staging_bytes = 16},
                                          {.replica_parallel = true, .threads = 1}};
  for (const std::string& format : checkpoint::format_names()) {
    for (std::size_t way = 0; way < std::size(ways); ++way) {
      const std::string name = str(format, way);
      Job job = line_job(folder(name));
      job.config.checkpoint.format = format;
      job.config.checkpoint.saving = ways[way];
      job.config.checkpoint.when = When{EveryN{.n = 1, .and_last = true}};
      job.config.max_step = 4;
      train(job);
      job.config.max_step = 8;
      train(job);
      EXPECT_EQ(digest_of_newest(folder(name)), digest_of_newest(folder("whole"))) << name;
    }
  }
}

TEST_F(SavingRuns, KeepTheBestWhereTheEvaluationComesFirst) {
  Job job = line_job(folder("run"));
  job.config.evaluators["held_out"].when = When{EveryN{.n = 1}};
  job.config.checkpoint.when = When{EveryN{.n = 1}};
  // The loss falls, so that the first value stays the largest.
  job.config.checkpoint.retention = {
      .keep_last_n = 1,
      .keep_best = checkpoint::KeepBest{.evaluator = "held_out", .metric = "loss"}};
  job.config.max_step = 4;
  train(job);
  EXPECT_THAT(steps("run"), ElementsAre(1, 4));
  job.config.max_step = 6;
  train(job);
  EXPECT_THAT(steps("run"), ElementsAre(1, 6));
  job.config.checkpoint.retention.keep_best->evaluator = "nobody";
  EXPECT_THROW(train(job), Error);
}

// Simulates a full disk with a file size limit.
class FillsTheDisk : public Points {
 public:
  FillsTheDisk() {
    getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~FillsTheDisk() override {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FillsTheDisk(const FillsTheDisk&) = delete;
  FillsTheDisk& operator=(const FillsTheDisk&) = delete;

  data::Batch batch(std::int64_t step, data::Rows rows) const override {
    rlimit limit = before_;
    limit.rlim_cur = 10;
    if (step == 7) setrlimit(RLIMIT_FSIZE, &limit);
    return Points::batch(step, rows);
  }

 private:
  rlimit before_ = {};
  void (*handler_)(int) = nullptr;
};

TEST_F(SavingRuns, EndWithAnErrorIfTheLastCheckpointIsNotThere) {
  Job job = line_job(folder("run"));
  job.config.checkpoint.when = When{AtLast{}};
  job.source = std::make_shared<FillsTheDisk>();
  const Error error = thrown_by([&] { train(job); });
  EXPECT_EQ(error.code(), ErrorCode::unavailable);
  EXPECT_THAT(error.what(), testing::HasSubstr("the last save failed"));
}

}  // namespace
}  // namespace meshwright::train
