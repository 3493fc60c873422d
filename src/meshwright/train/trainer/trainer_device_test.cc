// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <csignal>
#include <fstream>
#include <functional>
#include <semaphore>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/log_testutil.h"
#include "meshwright/checkpoint/manager/manager.h"
#include "meshwright/data/core/state.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "meshwright/train/report/run_folder.h"
#include "meshwright/train/task/model_outputs.h"
#include "meshwright/train/trainer/run.h"
#include "meshwright/train/trainer/train_testutil.h"

namespace meshwright::train {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class TrainerTest : public testing::Test {
 protected:
  Outcome train(const Job& job) { return run(job, caching_client()); }
  fs::path folder(const std::string& name) const { return root.path() / name; }

  io::TemporaryFolder root;
  CapturedLog log;
};

std::string content(const fs::path& path) {
  std::stringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

TEST_F(TrainerTest, LearnsEvaluatesAndSaves) {
  Job job = line_job(folder("run"));
  job.config.max_step = 100;
  job.resolved_config = "max_step = 100\n";
  Outcome out = train(job);
  EXPECT_EQ(out.step, 100);
  EXPECT_EQ(out.reason, StopReason::max_step);
  EXPECT_LT(out.results.at("held_out/loss"), 0.5);
  EXPECT_EQ(content(folder("run") / "config.toml"), "max_step = 100\n");
  EXPECT_THAT(content(folder("run") / "trainer_state_tree.txt"), HasSubstr("model/line/w=f32[4]"));
  EXPECT_THAT(content(folder("run") / "params.txt"), HasSubstr("total: 5 parameters"));
  EXPECT_THAT(content(folder("run") / "metrics.jsonl"), HasSubstr("loss"));
}

TEST_F(TrainerTest, AResumedRunIsTheSameBitByBit) {
  train(line_job(folder("whole")));
  Job first = line_job(folder("parts"));
  first.config.max_step = 4;
  train(first);
  Outcome out = train(line_job(folder("parts")));
  EXPECT_THAT(log.text(), HasSubstr("restored the checkpoint of step 4"));
  EXPECT_EQ(out.step, 8);
  EXPECT_EQ(digest_of_newest(folder("parts")), digest_of_newest(folder("whole")));
}

TEST_F(TrainerTest, ADifferentSeedIsADifferentRun) {
  train(line_job(folder("one")));
  Job other = line_job(folder("other"));
  other.config.seed = 1;
  train(other);
  EXPECT_NE(digest_of_newest(folder("one")), digest_of_newest(folder("other")));
}

TEST_F(TrainerTest, AFinishedRunTrainsNoMore) {
  train(line_job(folder("run")));
  std::uint32_t before = digest_of_newest(folder("run"));
  Outcome out = train(line_job(folder("run")));
  EXPECT_EQ(out.step, 8);
  EXPECT_EQ(digest_of_newest(folder("run")), before);
}

TEST_F(TrainerTest, AnotherModelIsRefusedWithAllDifferences) {
  train(line_job(folder("run")));
  Job job = line_job(folder("run"));
  job.learner = optim::learn_by(optim::identity());
  const Error error = thrown_by([&] { train(job); });
  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(error.what(), HasSubstr("learner/optimizer"));
}

TEST_F(TrainerTest, FreshKeepsWhatWasThere) {
  train(line_job(folder("run")));
  Job job = line_job(folder("run"));
  job.fresh = true;
  train(job);
  EXPECT_TRUE(fs::exists(folder("run") / "earlier.1" / "checkpoints"));
  EXPECT_EQ(train(line_job(folder("run"))).step, 8);
}

TEST_F(TrainerTest, OneProcessHoldsTheFolder) {
  RunFolder held(folder("run"));
  EXPECT_THAT(message_of([&] { train(line_job(folder("run"))); }), HasSubstr("in use by process"));
}

TEST_F(TrainerTest, AStopRequestSavesAndSaysSo) {
  Job job = line_job(folder("run"));
  job.config.max_step = 1'000'000;
  job.config.loop.log = When();
  job.config.checkpoint.when = When();
  job.config.evaluators["held_out"].when = When{AtSteps{.steps = {5}}};
  // Raises the signal while the evaluator runs at step 5.
  class Raising : public Points {
   public:
    using Points::Points;
    data::Batch batch(std::int64_t step, data::Rows rows) const override {
      if (step == 1) std::raise(SIGTERM);
      return Points::batch(step, rows);
    }
  };
  job.eval_sources["held_out"] = std::make_shared<Raising>(std::set<std::int64_t>{}, 9);
  Outcome out = train(job);
  EXPECT_EQ(out.reason, StopReason::requested);
  EXPECT_EQ(out.stop_signal, SIGTERM);
  EXPECT_EQ(out.step, 5);
  EXPECT_THAT(log.text(), HasSubstr("interrupted"));
  EXPECT_TRUE(fs::exists(folder("run") / "checkpoints" / "step_00000005"));
}

// Calls `hang` for batch 3.
class HangingPoints : public Points {
 public:
  explicit HangingPoints(std::function<void()> hang) : Points({}, 9), hang_(std::move(hang)) {}
  data::Batch batch(std::int64_t step, data::Rows rows) const override {
    if (step == 3) hang_();
    return Points::batch(step, rows);
  }

 private:
  std::function<void()> hang_;
};

TEST_F(TrainerTest, StopsWhereALossIsNotFinite) {
  Job job = line_job(folder("run"), {5});
  const Error error = thrown_by([&] { train(job); });
  EXPECT_EQ(error.code(), ErrorCode::numerics);
  EXPECT_THAT(error.what(), HasSubstr("step 6: with batch 5 the loss is nan"));
  // The saved checkpoints are intact and none is of a later step.
  EXPECT_EQ(checkpoint::Manager({.folder = folder("run") / "checkpoints"}).steps().back(), 4);
}

TEST_F(TrainerTest, SkipsABatchThatGivesNoFiniteLoss) {
  Job job = line_job(folder("run"), {5});
  job.config.step.non_finite.action = OnNonFinite::skip;
  EXPECT_EQ(train(job).step, 8);
  EXPECT_THAT(log.text(), HasSubstr("step 6: with batch 5 the loss is nan"));
  checkpoint::Manager manager({.folder = folder("run") / "checkpoints"});
  checkpoint::Contents contents = *manager.restore_newest();
  EXPECT_EQ(assemble(contents.arrays.at("num_skipped").value()).values<std::int32_t>()[0], 1);
  EXPECT_EQ(assemble(contents.arrays.at("learner/count").value()).values<std::int32_t>()[0], 7);
  for (const checkpoint::ArrayParts& array : leaves(contents.arrays.at("model"))) {
    for (double value : assemble(array).to_doubles())
      EXPECT_TRUE(std::isfinite(value));
  }
}

TEST_F(TrainerTest, TrainsOnWhereARunThatSkippedWouldNowStop) {
  for (OnNonFinite action : {OnNonFinite::stop, OnNonFinite::rewind}) {
    fs::remove_all(folder("run"));
    Job job = line_job(folder("run"), {5});
    job.config.step.non_finite.action = OnNonFinite::skip;
    train(job);
    job.config.step.non_finite.action = action;
    job.config.max_step = 12;
    EXPECT_EQ(train(job).step, 12);
    checkpoint::Manager manager({.folder = folder("run") / "checkpoints"});
    checkpoint::Contents contents = *manager.restore_newest();
    EXPECT_EQ(assemble(contents.arrays.at("learner/count").value()).values<std::int32_t>()[0], 11);
  }
}

TEST_F(TrainerTest, GivesUpWhenTooManyAreSkipped) {
  Job job = line_job(folder("run"), {2, 3, 4, 5, 6, 7});
  job.config.step.non_finite = {.action = OnNonFinite::skip, .max_times = 3};
  EXPECT_THROW(train(job), Error);
}

// Batch 5 gives a non-finite loss at step 6; after the rewind to step 4, batches 4 and 5 are
// skipped.
TEST_F(TrainerTest, RewindsToTheLastCheckpointAndLeavesTheBatchesOut) {
  Job job = line_job(folder("run"), {5});
  job.config.step.non_finite.action = OnNonFinite::rewind;
  EXPECT_EQ(train(job).step, 8);
  EXPECT_THAT(log.text(), HasSubstr("went back to step 4; training continues with batch 6"));
  checkpoint::Manager manager({.folder = folder("run") / "checkpoints"});
  checkpoint::Contents contents = *manager.restore_newest();
  EXPECT_EQ(
      data::num_batches_used(*job.source, contents.meta.at("data"), data::OnOtherData::refuse), 10);
  EXPECT_EQ(assemble(contents.arrays.at("num_skipped").value()).values<std::int32_t>()[0], 0);
}

// After the second rewind to step 4, batch 7 must not be used again.
TEST_F(TrainerTest, BatchesThatWereLeftOutOnceStayOut) {
  Job job = line_job(folder("run"), {5, 7});
  job.config.step.non_finite = {.action = OnNonFinite::rewind, .max_times = 2};
  EXPECT_EQ(train(job).step, 8);
  EXPECT_THAT(log.text(), HasSubstr("went back to step 4; training continues with batch 8"));
}

TEST_F(TrainerTest, EndsWithTheData) {
  Job job = line_job(folder("run"));
  job.config.max_step.reset();
  job.source = std::make_shared<Points>(std::set<std::int64_t>{}, 3);
  Outcome out = train(job);
  EXPECT_EQ(out.step, 3);
  EXPECT_EQ(out.reason, StopReason::end_of_data);
  EXPECT_TRUE(fs::exists(folder("run") / "checkpoints" / "step_00000003"));
}

TEST_F(TrainerTest, AHangingEvaluationIsEndedByARequest) {
  auto gate = std::make_shared<std::binary_semaphore>(0);
  Job job = line_job(folder("run"));
  job.eval_sources["held_out"] = std::make_shared<HangingPoints>([gate] {
    std::raise(SIGTERM);
    gate->acquire();
  });
  Outcome out = train(job);
  EXPECT_EQ(out.reason, StopReason::requested);
  EXPECT_EQ(out.step, 4);
  EXPECT_THAT(log.text(), HasSubstr("interrupted"));
  gate->release();
}

TEST_F(TrainerTest, EvaluationsDoNotDependOnThreads) {
  std::vector<double> losses;
  for (int num_threads : {1, 3}) {
    Job job = line_job(folder(str("run", num_threads)));
    job.eval_sources["held_out"] = std::make_shared<Points>(std::set<std::int64_t>{}, 20);
    job.config.prefetch.batches.num_threads = num_threads;
    losses.push_back(train(job).results.at("held_out/loss"));
  }
  EXPECT_EQ(losses[0], losses[1]);
}

TEST_F(TrainerTest, AnEvaluatorMayComputeInAnotherDtype) {
  Job job = line_job(folder("run"));
  job.config.evaluators["narrow"] = job.config.evaluators["held_out"];
  job.config.evaluators["narrow"].dtype = "bf16";
  job.eval_sources["narrow"] = job.eval_sources["held_out"];
  Results results = train(job).results;
  EXPECT_NE(results.at("narrow/loss"), results.at("held_out/loss"));
  EXPECT_NEAR(results.at("narrow/loss"), results.at("held_out/loss"),
              0.02 * results.at("held_out/loss"));
}

// Outputs summaries, as modules do.
class WatchedTask : public LineTask {
 public:
  TaskLoss loss(const TaskInput& input) const override {
    TaskLoss out = LineTask::loss(input);
    nn::Outputs outputs;
    outputs.summaries["line/bias"] = {.value = input.params.at("line/b").value()};
    outputs.summaries["line/weights"] = {.value = input.params.at("line/w").value()};
    add_outputs(outputs, out);
    return out;
  }
};

TEST_F(TrainerTest, TellsWhatModulesLeaveToLookAt) {
  Job job = line_job(folder("run"));
  job.task = std::make_shared<WatchedTask>();
  train(job);
  EXPECT_THAT(content(folder("run") / "metrics.jsonl"), HasSubstr("\"model/line/bias\":"));
  EXPECT_THAT(content(folder("run") / "metrics.jsonl"), HasSubstr("held_out/model/line/bias"));
  EXPECT_THAT(log.text(), testing::Not(HasSubstr("model/line/bias")));
  std::string events;
  for (const fs::directory_entry& file :
       fs::directory_iterator(folder("run") / "summaries" / "train_train"))
    events += content(file.path());
  EXPECT_THAT(events, HasSubstr("model/line/weights"));
  EXPECT_THAT(events, HasSubstr("num_model_params"));
}

TEST_F(TrainerTest, TellsFilesWhatItDoesNotTellPeople) {
  Job job = line_job(folder("run"));
  job.task = std::make_shared<WatchedTask>();
  job.config.loop.log = When{EveryN{.n = 4}};
  job.config.loop.summaries = When{EveryN{.n = 2}};
  train(job);
  const std::string lines = content(folder("run") / "metrics.jsonl");
  for (int step = 1; step <= 8; ++step) {
    const bool is_told = lines.find(str("{\"step\":", step, ",")) != std::string::npos;
    EXPECT_EQ(is_told, step % 2 == 0) << step;
    EXPECT_EQ(log.text().find(str("step ", step, "/8 ")) != std::string::npos, step % 4 == 0)
        << step;
  }
}

TEST_F(TrainerTest, TellsHowMuchOfThePeakIsUsed) {
  Job job = line_job(folder("run"));
  job.config.max_step = 16;
  job.config.loop.log = When{EveryN{.n = 8}};
  job.config.checkpoint.when = When();
  train(job);
  EXPECT_THAT(log.text(), HasSubstr("MFU n/a"));
  EXPECT_THAT(log.text(), HasSubstr("unknown, see peak_flops; FLOPs per step: 192"));
  EXPECT_THAT(content(folder("run") / "metrics.jsonl"), HasSubstr("perf/model_flops_per_second"));
  log.clear();
  job.config.dir = folder("known").string();
  job.config.peak_flops = 1e9;
  train(job);
  EXPECT_THAT(log.text(), testing::ContainsRegex("MFU [0-9.]+%"));
  EXPECT_THAT(content(folder("known") / "metrics.jsonl"), HasSubstr("perf/mfu"));
}

TEST_F(TrainerTest, DescribesTheFirstBatchesAndWhyItEnds) {
  Outcome out = train(line_job(folder("run")));
  EXPECT_THAT(log.text(), HasSubstr("batch 2: weights=f32[8] x=f32[8,4] y=f32[8]"));
  EXPECT_THAT(log.text(), testing::Not(HasSubstr("batch 3:")));
  EXPECT_THAT(log.text(), HasSubstr("reached max_step 8"));
  EXPECT_THAT(log.text(), HasSubstr("host memory: at most "));
  EXPECT_GT(out.last.at("loss"), 0);
  train(line_job(folder("run")));
  EXPECT_THAT(log.text(), HasSubstr("already reached max_step 8"));
}

std::vector<std::int64_t> batches_used(const fs::path& run_folder, const data::Source& source) {
  checkpoint::Manager manager({.folder = run_folder / "checkpoints"});
  checkpoint::Contents contents = *manager.restore_newest();
  return {contents.step,
          data::num_batches_used(source, contents.meta.at("data"), data::OnOtherData::refuse)};
}

TEST_F(TrainerTest, AResumedRunMayBeginItsDataAnew) {
  Job job = line_job(folder("run"));
  job.config.max_step = 4;
  train(job);
  job.config.max_step = 6;
  job.config.prefetch.resume = false;
  train(job);
  EXPECT_EQ(batches_used(folder("run"), *job.source), (std::vector<std::int64_t>{6, 2}));
}

TEST_F(TrainerTest, ACheckpointThatKnowsNoDataGoesOnByItsStep) {
  Job job = line_job(folder("run"));
  job.config.max_step = 4;
  train(job);
  {
    checkpoint::Manager manager({.folder = folder("run") / "checkpoints"});
    checkpoint::Contents contents = *manager.restore_newest();
    contents.step = 5;
    contents.meta = {};
    manager.save(contents);
    manager.wait();
  }
  job.config.max_step = 7;
  train(job);
  EXPECT_THAT(log.text(), HasSubstr("has no data position; the next batch is 5"));
  EXPECT_EQ(batches_used(folder("run"), *job.source), (std::vector<std::int64_t>{7, 7}));
}

TEST_F(TrainerTest, TracesHostPhases) {
  Job job = line_job(folder("run"));
  job.config.loop.trace.start_steps = {2};
  train(job);
  std::string trace = content(folder("run") / "traces" / "step_2.json");
  for (const char* phase :
       {"waiting for data", "starting an update", "reading metrics", "evaluating", "saving"})
    EXPECT_THAT(trace, HasSubstr(phase));
}

TEST_F(TrainerTest, OnlySomeProcessesTrace) {
  for (const bool is_traced : {true, false}) {
    const fs::path run = folder(is_traced ? "all" : "other");
    Job job = line_job(run);
    job.config.loop.trace.start_steps = {2};
    job.config.loop.trace.processes =
        is_traced ? Processes(Everyone::all) : Processes(std::vector<std::int64_t>{1, 2});
    train(job);
    EXPECT_EQ(fs::exists(run / "traces" / "step_2.json"), is_traced);
  }
}

TEST_F(TrainerTest, TracesBatchesOfAnEvaluation) {
  Job job = line_job(folder("run"));
  job.config.evaluators["held_out"].trace_batches = {1};
  train(job);
  const std::string trace = content(folder("run") / "traces" / "held_out_step_4_batch_1.json");
  EXPECT_THAT(trace, HasSubstr(R"("name":"reading results")"));
  EXPECT_THAT(trace, HasSubstr(R"("args":{"batch":1})"));
  EXPECT_THAT(trace, testing::Not(HasSubstr(R"("name":"waiting for data","ph":"X","ts":0,"dur":0,)"
                                            R"("pid":0,"tid":0,"args":{"batch":0})")));
  EXPECT_FALSE(fs::exists(folder("run") / "traces" / "held_out_step_4_batch_0.json"));
}

// An interrupted evaluation leaves no file that looks complete.
TEST_F(TrainerTest, KeepsWhatTheModelMadeOfExamples) {
  Job job = line_job(folder("run"));
  job.config.evaluators["held_out"].outputs = OutputsConfig{.arrays = "batch/y"};
  train(job);
  const fs::path outputs = folder("run") / "outputs" / "held_out";
  const std::string lines = content(outputs / "step_00000008.jsonl");
  EXPECT_EQ(std::ranges::count(lines, '\n'), 2 * 8);
  EXPECT_THAT(lines, HasSubstr(R"({"example":15,"batch/y":)"));
  for (const fs::directory_entry& file : fs::directory_iterator(outputs))
    EXPECT_EQ(file.path().extension(), ".jsonl");
  EXPECT_EQ(std::distance(fs::directory_iterator(outputs), {}), 2);
}

TEST_F(TrainerTest, LinesNameProcessAndStepIfAsked) {
  class Asking : public Points {
   public:
    explicit Asking(std::string& line) : Points({}, 2), line_(line) {}
    data::Batch batch(std::int64_t step, data::Rows rows) const override {
      if (step == 1) line_ = log_line(Severity::warning, "late");
      return Points::batch(step, rows);
    }

   private:
    std::string& line_;
  };
  Job job = line_job(folder("run"));
  job.config.log_prefix = true;
  std::string line;
  job.eval_sources["held_out"] = std::make_shared<Asking>(line);
  train(job);
  EXPECT_EQ(line, "process 0 step 8] warning: late\n");
  EXPECT_EQ(log_line(Severity::info, "done"), "done\n");
}

}  // namespace
}  // namespace meshwright::train
