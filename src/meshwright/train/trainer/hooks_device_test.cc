// SPDX-License-Identifier: Apache-2.0
// Hooks and metric sinks that a program adds to a run.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/log_testutil.h"
#include "meshwright/train/trainer/hooks.h"
#include "meshwright/train/trainer/run.h"
#include "meshwright/train/trainer/train_testutil.h"

namespace meshwright::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

class ExtensionsTest : public testing::Test {
 protected:
  Outcome run(const std::vector<Hook>& hooks) {
    job.hooks = hooks;
    return train::run(job, caching_client());
  }

  CapturedLog log;
  io::TemporaryFolder folder;
  Job job = line_job(folder.path() / "run");
};

TEST_F(ExtensionsTest, AHookSeesEveryBoundaryAndTheParametersThere) {
  std::vector<std::int64_t> steps;
  std::vector<double> biases;
  run({{"watch", [&](const HookInput& input) {
          steps.push_back(input.boundary.step);
          biases.push_back(input.params.at("line/b").value().to_host().to_doubles()[0]);
          return Request();
        }}});
  EXPECT_THAT(steps, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8));
  for (std::size_t i = 1; i < biases.size(); ++i)
    EXPECT_NE(biases[i], biases[i - 1]) << i;
}

TEST_F(ExtensionsTest, AHookAfterEvaluationsSeesTheirResultsAndTheParameters) {
  std::vector<std::int64_t> steps;
  std::vector<double> losses;
  std::vector<double> biases_before;
  std::vector<double> biases_after;
  const auto bias = [](const HookInput& input) {
    return input.params.at("line/b").value().to_host().to_doubles()[0];
  };
  const Outcome outcome = run({{"before",
                                [&](const HookInput& input) {
                                  EXPECT_TRUE(input.boundary.results.empty());
                                  if (input.boundary.step % 4 == 0 && input.boundary.step > 0)
                                    biases_before.push_back(bias(input));
                                  return Request();
                                }},
                               {.name = "after",
                                .at_boundary =
                                    [&](const HookInput& input) {
                                      steps.push_back(input.boundary.step);
                                      losses.push_back(input.boundary.results.at("held_out/loss"));
                                      biases_after.push_back(bias(input));
                                      return Request();
                                    },
                                .when = HookTime::after_evaluations}});
  EXPECT_THAT(steps, ElementsAre(4, 8));
  EXPECT_EQ(losses.back(), outcome.results.at("held_out/loss"));
  EXPECT_EQ(biases_after, biases_before);
}

TEST_F(ExtensionsTest, AHookAfterEvaluationsMayEndTheRunWhichSavesFirst) {
  job.config.checkpoint.when = When();
  const Outcome outcome =
      run({{.name = "good_enough",
            .at_boundary =
                [](const HookInput& in) {
                  return Request{.stop = in.boundary.results.at("held_out/loss") < 1e9};
                },
            .when = HookTime::after_evaluations}});
  EXPECT_EQ(outcome.step, 4);
  EXPECT_EQ(outcome.reason, StopReason::requested);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "run/checkpoints/step_00000004"));
}

TEST_F(ExtensionsTest, CallingHooksIsAPhaseThatTheWatchdogNames) {
  job.config.verbosity = 3;
  run({{"idle", [](const HookInput&) { return Request(); }}});
  EXPECT_THAT(log.text(), HasSubstr("step 0: calling hooks\n"));
  EXPECT_THAT(log.text(), HasSubstr("step 8: calling hooks\n"));
}

TEST_F(ExtensionsTest, AHookMayEndTheRunWhichSavesFirst) {
  job.config.checkpoint.when = When();
  const Outcome outcome =
      run({{"enough", [](const HookInput& in) { return Request{.stop = in.boundary.step == 3}; }}});
  EXPECT_EQ(outcome.step, 3);
  EXPECT_EQ(outcome.reason, StopReason::requested);
  std::vector<std::int64_t> later;
  run({{"watch", [&](const HookInput& input) {
          later.push_back(input.boundary.step);
          return Request();
        }}});
  EXPECT_EQ(later.front(), 3) << "it was saved";
}

TEST_F(ExtensionsTest, AHookMayAskForACheckpoint) {
  job.config.checkpoint.when = When();
  run({{"save", [](const HookInput& in) { return Request{.save = in.boundary.step == 5}; }}});
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "run/checkpoints/step_00000005"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "run/checkpoints/step_00000006"));
}

TEST_F(ExtensionsTest, AnErrorOfAHookNamesIt) {
  const std::string said = coded_message_of([&] {
    run({{"broken", [](const HookInput& in) -> Request {
            if (in.boundary.step == 2) fail(ErrorCode::unavailable, "no connection");
            return {};
          }}});
  });
  EXPECT_THAT(said, HasSubstr("hook 'broken' at step 2"));
  EXPECT_THAT(said, HasSubstr("no connection"));
}

// Stores losses by step in a map of the test.
class LossSink : public metrics::Sink {
 public:
  explicit LossSink(std::map<std::int64_t, double>& losses) : losses_(losses) {}
  std::string name() const override { return "losses"; }
  void write(const metrics::Record& record) override {
    for (const metrics::Entry& entry : record.entries)
      if (entry.name == "loss") losses_[record.step] = std::get<double>(entry.value);
  }

 private:
  std::map<std::int64_t, double>& losses_;
};

TEST_F(ExtensionsTest, ASinkGetsTheMetricsOfTheRun) {
  std::map<std::int64_t, double> losses;
  std::vector<std::int64_t> first_steps;
  job.config.loop.log = When{EveryN{.n = 4}};
  job.sinks = {{"losses", [&](const Files&, std::int64_t first_step) {
                  first_steps.push_back(first_step);
                  return std::make_unique<LossSink>(losses);
                }}};
  run({});
  EXPECT_THAT(losses, ElementsAre(Pair(4, testing::Gt(0)), Pair(8, testing::Gt(0))));
  job.config.max_step = 12;
  run({});
  EXPECT_EQ(losses.rbegin()->first, 12);
  EXPECT_THAT(first_steps, ElementsAre(0, 9));
}

TEST_F(ExtensionsTest, ARunGoesOnWithoutASinkThatCannotBeOpened) {
  job.sinks = {{"broken", [](const Files&, std::int64_t) -> std::unique_ptr<metrics::Sink> {
                  fail(ErrorCode::unavailable, "no connection");
                }}};
  EXPECT_EQ(run({}).step, 8);
  EXPECT_THAT(log.text(), HasSubstr("metrics: sink 'broken': no connection"));
}

}  // namespace
}  // namespace meshwright::train
