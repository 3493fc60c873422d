// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/loop.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "meshwright/base/log.h"
#include "meshwright/train/loop_testutil.h"

namespace meshwright::train {
namespace {

using Events = std::vector<std::string>;

TEST(Loop, DoesActionsInTheirOrder) {
  TestedLoop config = quiet_loop();
  config.log = When{EveryN{.n = 1}};
  config.save = {EveryN{.n = 2}};
  LoopRecorder recorder;
  recorder.evaluators = {{"held_out", {EveryN{.n = 2}}}};
  LoopEnd end = recorder.run(config, {.max_step = 2});
  EXPECT_EQ(recorder.events(),
            (Events{"update 1", "log 1", "update 2", "log 2", "eval held_out 2", "save 2"}));
  EXPECT_EQ(end.step, 2);
  EXPECT_EQ(end.reason, StopReason::max_step);
}

TEST(Loop, SummarizesWhereNothingIsLogged) {
  TestedLoop config = quiet_loop();
  config.log = When{EveryN{.n = 3}};
  config.summaries = When{EveryN{.n = 2}, AtSteps{.steps = {3}}};
  LoopRecorder recorder;
  recorder.run(config, {.max_step = 4});
  EXPECT_EQ(only(recorder.events(), {"log", "summarize"}),
            (Events{"summarize 2", "log 3", "summarize 4"}));
}

TEST(Loop, ARunThatWasFinishedBeforeTrainsNothing) {
  LoopRecorder recorder;
  recorder.evaluators = {{"held_out", {AtStart{.fresh = false, .finished = true}}}};
  LoopEnd end = recorder.run(quiet_loop(), {.step = 5, .is_fresh = false, .max_step = 5});
  EXPECT_EQ(recorder.events(), Events{"eval held_out 5"});
  EXPECT_EQ(end.results.count("held_out/accuracy"), 1U);
}

TEST(Loop, TheEndOfDataIsTheLastBoundary) {
  TestedLoop config = quiet_loop();
  config.save = {EveryN{.n = 100, .and_last = true}};
  LoopRecorder recorder;
  recorder.data_end = 3;
  LoopEnd end = recorder.run(config, {.max_step = 9});
  EXPECT_EQ(recorder.events().back(), "save 3");
  EXPECT_EQ(end.reason, StopReason::end_of_data);
}

TEST(Loop, AStopRequestSavesAndLeavesWithoutEvaluating) {
  LoopRecorder recorder;
  recorder.evaluators = {{"held_out", {EveryN{.n = 1}}}};
  recorder.requests[3] = {.stop = true};  // while update 2 runs
  LoopEnd end = recorder.run(quiet_loop(), {.max_step = 9});
  EXPECT_EQ(recorder.events(), (Events{"update 1", "eval held_out 1", "update 2", "save 2"}));
  EXPECT_EQ(end.reason, StopReason::requested);
}

TEST(Loop, AStopRequestDuringEvaluationLeavesOutTheOtherEvaluators) {
  LoopRecorder recorder;
  recorder.evaluators = {{"a", {EveryN{.n = 1}}}, {"b", {EveryN{.n = 1}}}};
  recorder.requests[2] = {.stop = true};
  recorder.run(quiet_loop(), {.max_step = 9});
  EXPECT_EQ(recorder.events(), (Events{"update 1", "eval a 1", "save 1"}));
}

TEST(Loop, AStopRequestSavesWhereStopStandsBeforeSave) {
  TestedLoop config = quiet_loop();
  config.order.boundary = {{Action::stop, Action::save}};
  LoopRecorder recorder;
  recorder.requests[1] = {.stop = true};
  recorder.run(config, {.max_step = 9});
  EXPECT_EQ(recorder.events(), (Events{"update 1", "save 1"}));
}

TEST(Loop, NothingIsSavedTwiceAtAStep) {
  TestedLoop config = quiet_loop();
  config.save = {EveryN{.n = 1}};
  LoopRecorder recorder;
  recorder.requests[0] = {.stop = true};
  recorder.run(config, {.step = 4, .is_fresh = false, .max_step = 9});
  EXPECT_EQ(recorder.events(), Events{});
}

TEST(Loop, ASaveRequestIsServedOnce) {
  LoopRecorder recorder;
  recorder.requests[1] = {.save = true};
  recorder.run(quiet_loop(), {.max_step = 3});
  EXPECT_EQ(recorder.events(), (Events{"update 1", "save 1", "update 2", "update 3"}));
}

TEST(Loop, SavesTheBestOnlyAndRemembersItOverARestart) {
  TestedLoop config = quiet_loop();
  config.save = {BestMetric{.evaluator = "held_out", .metric = "accuracy"}};
  LoopRecorder recorder;
  recorder.evaluators = {{"held_out", {EveryN{.n = 1}}}};
  recorder.accuracies = {{1, 0.5}, {2, 0.4}, {3, 0.6}, {4, 0.55}, {5, 0.7}};
  Loop first = recorder.make_loop(config);
  first.run({.max_step = 3});
  EXPECT_EQ(only(recorder.events(), {"save"}), (Events{"save 1", "save 3"}));
  LoopRecorder later;
  later.evaluators = recorder.evaluators;
  later.accuracies = recorder.accuracies;
  Loop second = later.make_loop(config);
  second.set_state(first.state());
  second.run({.step = 3, .is_fresh = false, .max_step = 5});
  EXPECT_EQ(only(later.events(), {"save"}), Events{"save 5"});
}

TEST(Loop, StopsWhenAMetricGetsNoBetter) {
  ScopedLogHandler silent([](Severity, std::string_view) {});
  TestedLoop config = quiet_loop();
  config.early_stopping =
      EarlyStopping{.evaluator = "held_out", .metric = "accuracy", .patience = 2, .atol = 0.01};
  LoopRecorder recorder;
  recorder.evaluators = {{"held_out", {EveryN{.n = 1}}}};
  recorder.accuracies = {{1, 0.5}, {2, 0.505}, {3, 0.6}, {4, 0.55}, {5, 0.6}, {6, 0.9}};
  LoopEnd end = recorder.run(config, {.max_step = 9});
  EXPECT_EQ(end.reason, StopReason::no_improvement);
  EXPECT_EQ(recorder.events().back(), "save 5");
}

// What is better must be so by more than atol and that part of the best.
TEST(Loop, OnlyWhatIsClearlyBetterCounts) {
  ScopedLogHandler silent([](Severity, std::string_view) {});
  auto last_step = [](double atol, double rtol, Better mode, std::map<std::int64_t, double> found) {
    TestedLoop config = quiet_loop();
    config.early_stopping = EarlyStopping{.evaluator = "held_out",
                                          .metric = "accuracy",
                                          .mode = mode,
                                          .patience = 1,
                                          .atol = atol,
                                          .rtol = rtol};
    LoopRecorder recorder;
    recorder.evaluators = {{"held_out", {EveryN{.n = 1}}}};
    recorder.accuracies = std::move(found);
    return recorder.run(config, {.max_step = 3}).step;
  };
  EXPECT_EQ(last_step(0, 0, Better::max, {{1, 4}, {2, 4}}), 2);
  EXPECT_EQ(last_step(1, 0, Better::max, {{1, 4}, {2, 5}}), 2);
  EXPECT_EQ(last_step(1, 0, Better::max, {{1, 4}, {2, 5.5}}), 3);
  EXPECT_EQ(last_step(0, 0.5, Better::max, {{1, -4}, {2, -2.5}}), 2);
  EXPECT_EQ(last_step(0, 0.5, Better::max, {{1, -4}, {2, -1.5}}), 3);
  EXPECT_EQ(last_step(0, 0, Better::min, {{1, 4}, {2, 5}}), 2);
  EXPECT_EQ(last_step(0, 0, Better::min, {{1, 4}, {2, 3}}), 3);
}

TEST(Loop, EarlyStoppingRemembersOverARestart) {
  ScopedLogHandler silent([](Severity, std::string_view) {});
  TestedLoop config = quiet_loop();
  config.early_stopping =
      EarlyStopping{.evaluator = "held_out", .metric = "accuracy", .patience = 3};
  auto recorder = [] {
    LoopRecorder out;
    out.evaluators = {{"held_out", {EveryN{.n = 1}}}};
    out.accuracies = {{1, 0.9}, {2, 0.5}, {3, 0.6}, {4, 0.7}, {5, 0.8}};
    return out;
  };
  LoopRecorder first = recorder();
  Loop before = first.make_loop(config);
  before.run({.max_step = 3});
  LoopRecorder second = recorder();
  Loop after = second.make_loop(config);
  after.set_state(before.state());
  LoopEnd end = after.run({.step = 3, .is_fresh = false, .max_step = 9});
  EXPECT_EQ(end.step, 4);
  EXPECT_EQ(end.reason, StopReason::no_improvement);
}

TEST(Loop, WhoAsksToStopAtTheLastStepGetsAFinishedRun) {
  LoopRecorder recorder;
  recorder.evaluators = {{"held_out", {EveryN{.n = 2}}}};
  recorder.requests[2] = {.stop = true};  // while update 2 of 2 runs
  LoopEnd end = recorder.run(quiet_loop(), {.max_step = 2});
  EXPECT_EQ(end.reason, StopReason::max_step);
  EXPECT_EQ(recorder.events().back(), "eval held_out 2");
}

TEST(Loop, ARequestEndsAWaitForDataAndNothingIsDoneTwice) {
  TestedLoop config = quiet_loop();
  config.log = When{EveryN{.n = 1}};
  LoopRecorder recorder;
  recorder.hangs_at = 2;
  recorder.requests = {{99, {.stop = true}}};
  LoopEnd end = recorder.run(config, {.max_step = 9});
  EXPECT_EQ(end.reason, StopReason::requested);
  EXPECT_EQ(end.step, 2);
  EXPECT_EQ(recorder.events(), (Events{"update 1", "log 1", "update 2", "log 2", "save 2"}));
}

TEST(Loop, SavesOnRequestWhileItWaitsForData) {
  LoopRecorder recorder;
  recorder.hangs_at = 1;
  recorder.requests = {{99, {.save = true}}};
  LoopEnd end = recorder.run(quiet_loop(), {.max_step = 2});
  EXPECT_EQ(end.reason, StopReason::max_step);
  EXPECT_EQ(recorder.events(), (Events{"update 1", "save 1", "update 2"}));
}

TEST(Loop, EndsATraceHoweverItIsLeft) {
  TestedLoop config = quiet_loop();
  config.trace.start_steps = {1};
  LoopRecorder recorder;
  recorder.run(config, {.max_step = 2});
  EXPECT_EQ(recorder.events(), (Events{"update 1", "start_trace 1", "update 2", "stop_trace 2"}));

  int num_stopped = 0;
  LoopHooks hooks;
  hooks.update = [](std::int64_t step) -> std::optional<std::int64_t> {
    if (step == 1) fail(ErrorCode::device, "broken");
    return step + 1;
  };
  hooks.stop_trace = [&](const Boundary&) { ++num_stopped; };
  EXPECT_THROW(Loop(config, {}, {}, hooks).run({.max_step = 5}), Error);
  EXPECT_EQ(num_stopped, 1);
}

TEST(Loop, RefusesOrdersAndTracesThatMakeNoSense) {
  LoopRecorder recorder;
  TestedLoop twice = quiet_loop();
  twice.order.boundary = {{Action::save, Action::save, Action::stop}};
  EXPECT_THROW(recorder.make_loop(twice), Error);
  TestedLoop endless = quiet_loop();
  endless.order.boundary = {{Action::save}};
  EXPECT_THROW(recorder.make_loop(endless), Error);
  TestedLoop overlap = quiet_loop();
  overlap.trace.start_steps = {10, 12};
  EXPECT_THROW(recorder.make_loop(overlap), Error);
}

}  // namespace
}  // namespace meshwright::train
