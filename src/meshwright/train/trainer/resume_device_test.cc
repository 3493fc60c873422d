// SPDX-License-Identifier: Apache-2.0
// The state that a resumed run takes over. A test of equal bits would notice if any part were
// missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/log_testutil.h"
#include "meshwright/checkpoint/manager/manager.h"
#include "meshwright/data/core/state.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/random/sample.h"
#include "meshwright/metrics/metrics_testutil.h"
#include "meshwright/optim/optimizers/adamw.h"
#include "meshwright/optim/optimizers/sgd.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "meshwright/train/trainer/run.h"
#include "meshwright/train/trainer/train_testutil.h"

namespace meshwright::train {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsSupersetOf;

class ResumeTest : public testing::Test {
 protected:
  Outcome train(const Job& job) { return run(job, caching_client()); }
  Job job(const std::string& name) const { return line_job(folder_.path() / name); }

  void train_half(const std::string& name) {
    Job half = job(name);
    half.config.max_step = 4;
    train(half);
  }

  checkpoint::Contents newest(const std::string& name) const {
    return *checkpoint::Manager({.folder = checkpoints(name)}).restore_newest();
  }
  fs::path checkpoints(const std::string& name) const {
    return folder_.path() / name / "checkpoints";
  }
  std::uint32_t digest(const std::string& name) const {
    return digest_of_newest(folder_.path() / name);
  }

  // Changes one array in the run's newest checkpoint and commits it like the run's own.
  void change(const std::string& name, const std::string& path) {
    checkpoint::Contents contents = newest(name);
    checkpoint::ArrayParts& array = contents.arrays.at(path).value();
    HostTensor whole = checkpoint::assemble(array);
    whole.mutable_data()[2] ^= std::byte{1};  // bit 16 of an f32, in the fraction
    array.parts[0].value = whole;
    put_back(name, contents);
  }
  void put_back(const std::string& name, const checkpoint::Contents& contents) {
    checkpoint::Manager manager({.folder = checkpoints(name)});
    manager.remove_after(contents.step - 1);
    manager.save(contents);
    manager.wait();
  }

  // Returns the learned values: neither the key nor the counters.
  std::vector<double> weights(const std::string& name) const {
    return checkpoint::assemble(newest(name).arrays.at("model/line/w").value()).to_doubles();
  }

  io::TemporaryFolder folder_;
  CapturedLog log_;
};

// Its loss depends on the key of the step.
class NoisyLineTask : public LineTask {
 public:
  TaskLoss loss(const TaskInput& input) const override {
    ValueTree batch = input.batch;
    Value& x = batch.at("x").value();
    x = x + 0.1 * graph::random::normal(input.key, x.dims());
    return LineTask::loss({input.params, batch, input.key, input.is_training});
  }
};

// One flipped bit anywhere, or another position in the data, changes the result.
TEST_F(ResumeTest, EveryPartOfTheStateCounts) {
  auto noisy_job = [&](const std::string& name) {
    Job out = job(name);
    out.task = std::make_shared<NoisyLineTask>();
    return out;
  };
  auto train_half_of = [&](const std::string& name) {
    Job half = noisy_job(name);
    half.config.max_step = 4;
    train(half);
  };
  train(noisy_job("whole"));
  train_half_of("untouched");
  std::vector<std::string> paths;
  for_each(newest("untouched").arrays, [&](const std::string& path, const auto&) {
    if (path != "num_skipped") paths.push_back(path);  // only reported
  });
  EXPECT_THAT(paths,
              IsSupersetOf({"model/line/w", "learner/optimizer/adam/mu/line/w",
                            "learner/optimizer/adam/nu/line/w", "learner/count", "prng_key"}));
  train(noisy_job("untouched"));
  EXPECT_EQ(weights("untouched"), weights("whole"));
  for (const std::string& path : paths) {
    train_half_of(path);
    change(path, path);
    train(noisy_job(path));
    EXPECT_NE(weights(path), weights("whole")) << path;
  }
  train_half_of("data");
  checkpoint::Contents contents = newest("data");
  contents.meta["data/num_batches_used"] = Scalar(std::int64_t{5});
  put_back("data", contents);
  train(noisy_job("data"));
  EXPECT_NE(weights("data"), weights("whole"));
}

TEST_F(ResumeTest, GoesOnOnAnotherMesh) {
  const Placement spread{.mesh = mesh::Mesh({{"data", 2}, {"fsdp", 4}}),
                         .params = {{"feature", {"fsdp"}}},
                         .activations = {{"batch", {"data", "fsdp"}}}};
  train(job("whole"));
  for (bool begins_spread : {false, true}) {
    const std::string name = begins_spread ? "to one" : "to many";
    Job half = job(name), rest = job(name);
    half.config.max_step = 4;
    (begins_spread ? half : rest).placement = spread;
    train(half);
    EXPECT_EQ(train(rest).step, 8);
    checkpoint::Contents found = newest(name), wanted = newest("whole");
    auto values = [](const checkpoint::Contents& contents) {
      return checkpoint::assemble(contents.arrays.at("model/line/w").value()).to_doubles();
    };
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(values(found)[i], values(wanted)[i], 2e-6) << name;
  }
}

TEST_F(ResumeTest, ALongerRunGoesOnWhereAShorterOneEnded) {
  train_half("run");
  Job longer = job("run");
  longer.config.max_step = 11;
  EXPECT_EQ(train(longer).step, 11);
  EXPECT_EQ(data::num_batches_used(*longer.source, newest("run").meta.at("data"),
                                   data::OnOtherData::refuse),
            11);
}

TEST_F(ResumeTest, ARunThatIsPastItsEndSaysAtWhichStepItIs) {
  train(job("run"));
  train_half("run");
  EXPECT_THAT(log_.text(), HasSubstr("the checkpoint is of step 8, past max_step 4; a larger "
                                     "max_step trains further"));
  EXPECT_THAT(log_.text(), testing::Not(HasSubstr("--max")));
  train(job("run"));
  EXPECT_THAT(log_.text(), HasSubstr("already reached max_step 8; "));
}

TEST_F(ResumeTest, OtherDataIsTakenOnlyIfAllowed) {
  class Renamed : public Points {
   public:
    std::string name() const override { return "other points"; }
  };
  train_half("run");
  Job other = job("run");
  other.source = std::make_shared<Renamed>();
  EXPECT_THROW(train(other), Error);
  other.config.prefetch.allow_other_data = true;
  EXPECT_EQ(train(other).step, 8);
  EXPECT_THAT(log_.text(), HasSubstr("'points' and 'other points'"));
}

TEST_F(ResumeTest, CheckpointsSayWhatTheyComeFrom) {
  Job half = job("run");
  half.config.max_step = 4;
  half.resolved_config = "max_step = 4\n";
  train(half);
  EXPECT_EQ(newest("run").meta.find("lineage"), nullptr);
  EXPECT_EQ(newest("run").meta.at("config").value(), Scalar(half.resolved_config));
  std::string digest_of_4;
  checkpoint::Manager({.folder = checkpoints("run")})
      .read_with(4, [&](const checkpoint::Stored& stored) { digest_of_4 = stored.digest; });

  train(job("run"));
  const checkpoint::Meta meta = newest("run").meta;
  EXPECT_EQ(meta.at("lineage/step").value(), Scalar(std::int64_t{4}));
  EXPECT_EQ(meta.at("lineage/digest").value(), Scalar(digest_of_4));
  EXPECT_EQ(meta.at("lineage/run").value(), Scalar((folder_.path() / "run").string()));
  EXPECT_THAT(log_.text(), testing::Not(HasSubstr("in another environment")));
}

TEST_F(ResumeTest, WhatChangedInTheConfigIsToldAndEarlierOnesAreKept) {
  Job half = job("run");
  half.config.max_step = 4;
  half.resolved_config = "max_step = 4\n[log]\nn = 1\n[optimizer]\nb1 = 0.9\n";
  train(half);
  EXPECT_THAT(log_.text(), testing::Not(HasSubstr(" before, ")));
  Job rest = job("run");
  rest.resolved_config = "max_step = 8\n[log]\nn = 2\n[optimizer]\nb1 = 0.8\n";
  train(rest);
  EXPECT_THAT(log_.text(), HasSubstr("the config has changed since the checkpoint of step 4:\n"
                                     "  max_step: 4 before, 8 now\n"
                                     "  optimizer.b1: 0.9 before, 0.8 now\n"));
  EXPECT_THAT(log_.text(), HasSubstr("without effect on training:\n  log.n: 1 before, 2 now"));
  const fs::path run = folder_.path() / "run";
  EXPECT_EQ(file_text(run / "config.1.toml"), half.resolved_config);
  EXPECT_EQ(file_text(run / "config.toml"), rest.resolved_config);
  EXPECT_THAT(file_text(run / "metrics.jsonl"), HasSubstr("optimizer.b1: 0.9 before, 0.8 now"));

  rest.fresh = true;
  rest.is_scheduled_by_max_step = false;
  log_.clear();
  train(rest);
  EXPECT_THAT(log_.text(), testing::Not(HasSubstr(" before, ")));
  EXPECT_FALSE(fs::exists(run / "config.1.toml"));
  EXPECT_EQ(file_text(run / "earlier.1" / "config.1.toml"), half.resolved_config);
}

TEST_F(ResumeTest, ACheckpointOfAnotherOptimizerNamesTheKeyThatChanged) {
  Job half = job("run");
  half.config.max_step = 4;
  half.resolved_config = "seed = 1\n[optimizer]\ntype = 'adamw'\n";
  train(half);
  Job other = job("run");
  other.learner = optim::learn_by(optim::sgd({.learning_rate = optim::constant(0.1)}));
  other.resolved_config = "seed = 2\n[optimizer]\ntype = 'sgd'\n";
  EXPECT_THAT([&] { train(other); }, testing::ThrowsMessage<Error>(testing::AllOf(
                                         HasSubstr("optimizer.type: \"adamw\" before, \"sgd\" now"),
                                         testing::Not(HasSubstr("seed")))));
}

// Averages that only this run keeps start as in a new run; slots are cast to the run's dtype.
TEST_F(ResumeTest, ACheckpointThatDiffersIsTakenIfAllowed) {
  train_half("run");
  Job other = job("run");
  other.learner = optim::learn_by(
      optim::adamw({.learning_rate = optim::constant(0.1), .adam = {.mu_dtype = bf16}}));
  other.learner.ema = optim::EmaOptions{.decay = optim::constant(0.5)};
  EXPECT_THROW(train(other), Error);
  other.config.checkpoint.restore = {.match = checkpoint::Match::exact_up_to_dtype,
                                     .missing = OnMissing::initialize,
                                     .max_bytes = 1};
  other.config.max_step = 5;
  EXPECT_EQ(train(other).step, 5);
  EXPECT_THAT(log_.text(), HasSubstr("so initialised as in a new run: learner/ema/"));
  EXPECT_THAT(log_.text(), HasSubstr("restored the checkpoint of step 4"));
  const checkpoint::Contents contents = newest("run");
  EXPECT_EQ(contents.arrays.at("learner/optimizer/adam/mu/line/w").value().type.dtype, bf16);

  Job back = job("run");
  back.config.checkpoint.restore.match = checkpoint::Match::contains_up_to_dtype;
  EXPECT_EQ(train(back).step, 8);
  EXPECT_EQ(newest("run").arrays.find("learner/ema"), nullptr);
}

TEST_F(ResumeTest, AnAverageThatIsNewBeginsWithTheParametersOfTheCheckpoint) {
  train_half("run");
  const Tree<checkpoint::ArrayParts> then = newest("run").arrays.at("model");
  Job other = job("run");
  other.learner.ema = {.decay = optim::constant(1), .starts_with_params = true};  // does not change
  other.config.checkpoint.restore.missing = OnMissing::initialize;
  other.config.max_step = 5;
  EXPECT_EQ(train(other).step, 5);
  const Tree<checkpoint::ArrayParts> average = newest("run").arrays.at("learner/ema");
  ASSERT_GT(average.num_leaves(), 0U);
  for_each(average, [&](const std::string& path, const checkpoint::ArrayParts& parts) {
    EXPECT_EQ(checkpoint::assemble(parts).to_doubles(),
              checkpoint::assemble(then.at(path).value()).to_doubles())
        << path;
  });
}

TEST_F(ResumeTest, AnotherMachineIsOneWarning) {
  train_half("run");
  checkpoint::Contents contents = newest("run");
  std::string& features =
      std::get<std::string>(contents.meta.at("environment/cpu_features").value());
  features += " quantum";
  checkpoint::Manager manager({.folder = checkpoints("run")});
  manager.remove_after(contents.step - 1);
  manager.save(contents);
  manager.wait();
  train(job("run"));
  const std::string said = log_.text();
  EXPECT_THAT(said, HasSubstr("in another environment, so results may differ in their last bits: "
                              "cpu_features: -quantum"));
  EXPECT_EQ(said.find("in another environment"), said.rfind("in another environment"));
}

// The best metric so far determines the next save.
TEST_F(ResumeTest, PoliciesRemember) {
  auto best_only = [&](Job base) {
    base.config.checkpoint.when =
        When{BestMetric{.evaluator = "held_out", .metric = "loss"}, AtLast{}};
    base.config.evaluators["held_out"].when = When{EveryN{.n = 1}};
    return base;
  };
  // The loss falls, so that the first value is the largest and stays the best.
  Job half = best_only(job("run"));
  half.config.max_step = 4;
  train(half);
  train(best_only(job("run")));
  EXPECT_EQ(checkpoint::Manager({.folder = checkpoints("run")}).steps(),
            (std::vector<std::int64_t>{1, 4, 8}));
}

TEST_F(ResumeTest, TheAverageOfParametersIsJudgedAndGoesOn) {
  auto averaged = [&](const std::string& name, bool use_ema) {
    Job out = job(name);
    out.learner.ema = optim::EmaOptions{.decay = optim::constant(0.9)};
    out.config.evaluators["held_out"].use_ema = use_ema;
    return out;
  };
  Outcome whole = train(averaged("whole", true));
  EXPECT_THAT(log_.text(), HasSubstr("moving average of the parameters: held_out"));
  Job half = averaged("parts", true);
  half.config.max_step = 4;
  train(half);
  Outcome parts = train(averaged("parts", true));
  EXPECT_EQ(digest("parts"), digest("whole"));
  EXPECT_EQ(parts.results, whole.results);
  EXPECT_NE(train(averaged("own", false)).results, whole.results);
}

}  // namespace
}  // namespace meshwright::train
