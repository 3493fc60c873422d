// SPDX-License-Identifier: Apache-2.0
// Runs that start from the state of other runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/log_testutil.h"
#include "meshwright/checkpoint/manager/manager.h"
#include "meshwright/optim/optimizers/sgd.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "meshwright/train/restore/initial_state.h"
#include "meshwright/train/restore/restore_builder.h"
#include "meshwright/train/restore/state_converters.h"
#include "meshwright/train/step/state_testutil.h"
#include "meshwright/train/trainer/run.h"
#include "meshwright/train/trainer/train_testutil.h"

namespace meshwright::train {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class InitialStateTest : public testing::Test {
 protected:
  Outcome train(const Job& job) { return run(job, caching_client()); }
  fs::path folder(const std::string& name) const { return folder_.path() / name; }

  // Returns the job with no steps: its first checkpoint is the initial state.
  Job job_at_start(const std::string& name, std::int64_t seed = 0) {
    Job job = line_job(folder(name));
    job.config.seed = seed;
    job.config.max_step = 0;
    job.config.checkpoint.when = When{AtStart{}};
    job.config.evaluators.clear();
    return job;
  }
  std::vector<double> saved(const std::string& name, const std::string& path) const {
    checkpoint::Manager manager({.folder = folder(name) / "checkpoints"});
    checkpoint::Contents contents = manager.restore_newest().value();
    return checkpoint::assemble(contents.arrays.at(path).value()).to_doubles();
  }
  static optim::LearnerOptions averaged() {
    optim::LearnerOptions out =
        optim::learn_by(optim::sgd({.learning_rate = optim::constant(0.1)}));
    out.ema = {.decay = optim::constant(0.5), .starts_with_params = true};
    return out;
  }

  io::TemporaryFolder folder_;
  CapturedLog log_;
};

TEST_F(InitialStateTest, WhatIsNotThereIsToldBeforeAnythingIsCompiled) {
  Job job = job_at_start("new");
  job.init_state = from_checkpoint({.folder = folder("nowhere")});
  EXPECT_THROW(train(job), Error);
  EXPECT_THAT(log_.text(), Not(HasSubstr("compiling")));
}

TEST_F(InitialStateTest, ParametersOfAnotherRunWithoutItsLearner) {
  train(line_job(folder("old")));
  Job job = job_at_start("new");
  job.init_state =
      restore_and_convert(from_checkpoint({.folder = folder("old")}), scopes({{"", ""}}));
  EXPECT_EQ(train(job).step, 0);
  EXPECT_EQ(saved("new", "model/line/w"), saved("old", "model/line/w"));
  EXPECT_THAT(saved("new", "learner/count"), ElementsAre(0));
  EXPECT_NE(saved("new", "prng_key"), saved("old", "prng_key"));
  EXPECT_THAT(log_.text(),
              AllOf(HasSubstr("initialising the state from the checkpoint in "),
                    HasSubstr("old (all parameters)\n"), HasSubstr("initial state: step 0, 2 of "),
                    HasSubstr(" arrays restored or given, the others from seed ")));
}

TEST_F(InitialStateTest, WhatIsNotBuiltIsAsWithoutABuilder) {
  train(job_at_start("plain"));
  Job job = job_at_start("new");
  Tree<HostTensor> arrays;
  arrays["model/line/b"] = HostTensor::scalar(5.0F);
  job.init_state = given(arrays);
  train(job);
  EXPECT_THAT(saved("new", "model/line/b"), ElementsAre(5));
  EXPECT_EQ(saved("new", "model/line/w"), saved("plain", "model/line/w"));
  EXPECT_EQ(saved("new", "prng_key"), saved("plain", "prng_key"));
}

TEST_F(InitialStateTest, AllOfAStateIsTakenAsItIs) {
  train(line_job(folder("old")));
  Job job = job_at_start("new", /*seed=*/3);
  job.init_state = from_checkpoint({.folder = folder("old")});
  EXPECT_EQ(train(job).step, 0);
  for (const char* path : {"prng_key", "model/line/w", "learner/count"})
    EXPECT_EQ(saved("new", path), saved("old", path));
  EXPECT_THAT(log_.text(), ContainsRegex("initial state: step 8, all [0-9]+ arrays restored"));
}

TEST_F(InitialStateTest, ARunMayGoOnAtTheStepThatWasBuilt) {
  train(line_job(folder("whole")));
  Job half = line_job(folder("half"));
  half.config.max_step = 4;
  train(half);
  Job rest = line_job(folder("rest"));
  rest.init_state = from_checkpoint({.folder = folder("half")});
  rest.begins_at_built_step = true;
  EXPECT_EQ(train(rest).step, 8);
  EXPECT_EQ(digest_of_newest(folder("rest")), digest_of_newest(folder("whole")));
}

TEST_F(InitialStateTest, IsUsedOnlyWhereNoCheckpointIsRestored) {
  train(line_job(folder("run")));
  const std::uint32_t before = digest_of_newest(folder("run"));
  Job job = line_job(folder("run"));
  job.init_state = from_checkpoint({.folder = folder("no such run")});
  train(job);
  EXPECT_EQ(digest_of_newest(folder("run")), before);
}

TEST_F(InitialStateTest, AveragesOfAnotherRunBecomeParameters) {
  Job old = line_job(folder("old"));
  old.learner = averaged();
  train(old);
  Job job = job_at_start("new");
  job.learner = averaged();
  job.init_state = restore_and_convert(from_checkpoint({.folder = folder("old")}), ema_params());
  train(job);
  EXPECT_EQ(saved("new", "model/line/w"), saved("old", "learner/ema/line/w"));
  EXPECT_EQ(saved("new", "learner/ema/line/w"), saved("old", "learner/ema/line/w"));
  EXPECT_NE(saved("new", "model/line/w"), saved("old", "model/line/w"));
}

// A learner whose state starts from the parameters starts from the built ones.
TEST_F(InitialStateTest, ALearnerBeginsWithTheParametersThatWereBuilt) {
  Job job = job_at_start("new");
  job.learner = averaged();
  StateBuilder plus_one{.name = "plus_one", .needs_values = true};
  plus_one.build = [](BuildState state) {
    StateArray& b = state.arrays.at("model/line/b").value();
    set_built(b, HostTensor::scalar(static_cast<float>(b.value->to_doubles()[0]) + 1));
    return state;
  };
  job.init_state = chain({plus_one, plus_one});
  train(job);
  EXPECT_THAT(log_.text(),
              HasSubstr("initialising the state from seed 0, then from plus_one, plus_one\n"));
  EXPECT_THAT(saved("new", "model/line/b"), ElementsAre(2));
  EXPECT_THAT(saved("new", "learner/ema/line/b"), ElementsAre(2));
}

TEST_F(InitialStateTest, APartOfALearnersStateIsRefused) {
  Job job = job_at_start("new");
  Tree<HostTensor> arrays;
  arrays["learner/count"] = HostTensor::scalar<std::int32_t>(3);
  job.init_state = given(arrays);
  EXPECT_THAT(message_of([&] { train(job); }),
              HasSubstr("partial initialization is not supported for learner/count"));
}

TEST_F(InitialStateTest, LiesOnTheDevicesAsTheStateDoes) {
  train(line_job(folder("old")));
  Job job = job_at_start("new");
  job.placement = {.mesh = mesh::Mesh({{"data", 4}}), .params = {{"feature", {"data"}}}};
  job.init_state =
      restore_and_convert(from_checkpoint({.folder = folder("old")}), scopes({{"line", "line"}}));
  train(job);
  EXPECT_EQ(saved("new", "model/line/w"), saved("old", "model/line/w"));
}

}  // namespace
}  // namespace meshwright::train
