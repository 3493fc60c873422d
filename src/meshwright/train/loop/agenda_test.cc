// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/loop/agenda.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/log.h"
#include "meshwright/train/loop/agenda_testutil.h"

namespace meshwright::train {
namespace {

using Events = std::vector<std::string>;

TEST(Agenda, DoesActionsInTheirOrder) {
  TestedAgenda config = quiet_agenda();
  config.log = When{EveryN{.n = 1}};
  config.save = {EveryN{.n = 2}};
  AgendaRecorder recorder;
  recorder.evaluators = {{"held_out", {EveryN{.n = 2}}}};
  AgendaEnd end = recorder.run(config, {.max_step = 2});
  EXPECT_EQ(recorder.events(),
            (Events{"update 1", "log 1", "update 2", "log 2", "eval held_out 2", "save 2"}));
  EXPECT_EQ(end.step, 2);
  EXPECT_EQ(end.reason, StopReason::max_step);
}

TEST(Agenda, SummarizesWhereNothingIsLogged) {
  TestedAgenda config = quiet_agenda();
  config.log = When{EveryN{.n = 3}};
  config.summaries = When{EveryN{.n = 2}, AtSteps{.steps = {3}}};
  AgendaRecorder recorder;
  recorder.run(config, {.max_step = 4});
  EXPECT_EQ(only(recorder.events(), {"log", "summarize"}),
            (Events{"summarize 2", "log 3", "summarize 4"}));
}

TEST(Agenda, ARunThatWasFinishedBeforeTrainsNothing) {
  AgendaRecorder recorder;
  recorder.evaluators = {{"held_out", {AtStart{.fresh = false, .finished = true}}}};
  AgendaEnd end = recorder.run(quiet_agenda(), {.step = 5, .is_fresh = false, .max_step = 5});
  EXPECT_EQ(recorder.events(), Events{"eval held_out 5"});
  EXPECT_EQ(end.results.count("held_out/accuracy"), 1U);
}

TEST(Agenda, TheEndOfDataIsTheLastBoundary) {
  TestedAgenda config = quiet_agenda();
  config.save = {EveryN{.n = 100, .and_last = true}};
  AgendaRecorder recorder;
  recorder.data_end = 3;
  AgendaEnd end = recorder.run(config, {.max_step = 9});
  EXPECT_EQ(recorder.events().back(), "save 3");
  EXPECT_EQ(end.reason, StopReason::end_of_data);
}

TEST(Agenda, AStopRequestSavesAndLeavesWithoutEvaluating) {
  AgendaRecorder recorder;
  recorder.evaluators = {{"held_out", {EveryN{.n = 1}}}};
  recorder.requests[3] = {.stop = true};  // during update 2
  AgendaEnd end = recorder.run(quiet_agenda(), {.max_step = 9});
  EXPECT_EQ(recorder.events(), (Events{"update 1", "eval held_out 1", "update 2", "save 2"}));
  EXPECT_EQ(end.reason, StopReason::requested);
}

TEST(Agenda, AStopRequestDuringEvaluationLeavesOutTheOtherEvaluators) {
  AgendaRecorder recorder;
  recorder.evaluators = {{"a", {EveryN{.n = 1}}}, {"b", {EveryN{.n = 1}}}};
  recorder.requests[2] = {.stop = true};
  recorder.run(quiet_agenda(), {.max_step = 9});
  EXPECT_EQ(recorder.events(), (Events{"update 1", "eval a 1", "save 1"}));
}

TEST(Agenda, AStopRequestSavesWhereStopStandsBeforeSave) {
  TestedAgenda config = quiet_agenda();
  config.order.boundary = {{Action::stop, Action::save}};
  AgendaRecorder recorder;
  recorder.requests[1] = {.stop = true};
  recorder.run(config, {.max_step = 9});
  EXPECT_EQ(recorder.events(), (Events{"update 1", "save 1"}));
}

TEST(Agenda, NothingIsSavedTwiceAtAStep) {
  TestedAgenda config = quiet_agenda();
  config.save = {EveryN{.n = 1}};
  AgendaRecorder recorder;
  recorder.requests[0] = {.stop = true};
  recorder.run(config, {.step = 4, .is_fresh = false, .max_step = 9});
  EXPECT_EQ(recorder.events(), Events{});
}

TEST(Agenda, ASaveRequestIsServedOnce) {
  AgendaRecorder recorder;
  recorder.requests[1] = {.save = true};
  recorder.run(quiet_agenda(), {.max_step = 3});
  EXPECT_EQ(recorder.events(), (Events{"update 1", "save 1", "update 2", "update 3"}));
}

TEST(Agenda, CallsHooksOnceAfterTheLastEvaluationOfABoundary) {
  TestedAgenda config = quiet_agenda();
  config.save = {EveryN{.n = 1}};
  AgendaRecorder recorder;
  recorder.records_hooks = true;
  recorder.evaluators = {{"a", {EveryN{.n = 2}}}, {"b", {EveryN{.n = 2}}}};
  recorder.run(config, {.max_step = 2});
  EXPECT_EQ(recorder.events(), (Events{"update 1", "save 1", "update 2", "eval a 2", "eval b 2",
                                       "hooks a/accuracy b/accuracy 2", "save 2"}));
}

TEST(Agenda, HooksSeeTheResultsThatAStopRequestLeft) {
  AgendaRecorder recorder;
  recorder.records_hooks = true;
  recorder.evaluators = {{"a", {EveryN{.n = 1}}}, {"b", {EveryN{.n = 1}}}};
  recorder.requests[2] = {.stop = true};
  recorder.run(quiet_agenda(), {.max_step = 9});
  EXPECT_EQ(recorder.events(), (Events{"update 1", "eval a 1", "hooks a/accuracy 1", "save 1"}));
}

TEST(Agenda, AnswersARequestAfterEvaluationsAtTheirBoundaryInAnyOrder) {
  TestedAgenda config = quiet_agenda();
  config.order.boundary = {{Action::stop, Action::save, Action::eval}};
  const auto events_with = [&](const Request& request) {
    AgendaRecorder recorder;
    recorder.records_hooks = true;
    recorder.evaluators = {{"a", {AtSteps{.steps = {1}}}}};
    recorder.requests[3] = request;
    recorder.run(config, {.max_step = 2});
    return recorder.events();
  };
  EXPECT_EQ(events_with({.save = true}),
            (Events{"update 1", "eval a 1", "hooks a/accuracy 1", "save 1", "update 2"}));
  EXPECT_EQ(events_with({.stop = true}),
            (Events{"update 1", "eval a 1", "hooks a/accuracy 1", "save 1"}));
}

TEST(Agenda, SavesTheBestOnlyAndRemembersItOverARestart) {
  TestedAgenda config = quiet_agenda();
  config.save = {BestMetric{.evaluator = "held_out", .metric = "accuracy"}};
  AgendaRecorder recorder;
  recorder.evaluators = {{"held_out", {EveryN{.n = 1}}}};
  recorder.accuracies = {{1, 0.5}, {2, 0.4}, {3, 0.6}, {4, 0.55}, {5, 0.7}};
  Agenda first = recorder.make_agenda(config);
  recorder.run(first, {.max_step = 3});
  EXPECT_EQ(only(recorder.events(), {"save"}), (Events{"save 1", "save 3"}));
  AgendaRecorder later;
  later.evaluators = recorder.evaluators;
  later.accuracies = recorder.accuracies;
  Agenda second = later.make_agenda(config);
  second.set_state(first.state());
  later.run(second, {.step = 3, .is_fresh = false, .max_step = 5});
  EXPECT_EQ(only(later.events(), {"save"}), Events{"save 5"});
}

TEST(Agenda, LogsTheBestMetricIfTheEvaluationComesFirst) {
  TestedAgenda config = quiet_agenda();
  config.log = When{BestMetric{.evaluator = "held_out", .metric = "accuracy"}};
  config.order.boundary = {{Action::eval, Action::log, Action::stop}};
  AgendaRecorder recorder;
  recorder.evaluators = {{"held_out", {EveryN{.n = 1}}}};
  recorder.accuracies = {{1, 0.5}, {2, 0.4}, {3, 0.6}};
  recorder.run(config, {.max_step = 3});
  EXPECT_EQ(only(recorder.events(), {"log"}), (Events{"log 1", "log 3"}));
}

TEST(Agenda, RefusesToWaitForTheBestMetricBeforeTheEvaluation) {
  const When best = {BestMetric{.evaluator = "held_out", .metric = "accuracy"}};
  AgendaRecorder recorder;
  TestedAgenda log = quiet_agenda();
  log.log = best;
  EXPECT_EQ(message_of([&] { recorder.make_agenda(log); }),
            "log: a best_metric policy would never be due: the order of a boundary does not have "
            "'log' after 'eval'\nto evaluate first: order.boundary = [\"eval\", \"log\", \"save\", "
            "\"stop\", \"stop_trace\", \"start_trace\"]");
  TestedAgenda summaries = quiet_agenda();
  summaries.summaries = best;
  EXPECT_THROW(recorder.make_agenda(summaries), Error);
  TestedAgenda save = quiet_agenda();
  save.save = best;
  EXPECT_NO_THROW(recorder.make_agenda(save));
  save.order.boundary = {{Action::save, Action::eval, Action::stop}};
  EXPECT_THROW(recorder.make_agenda(save), Error);
  save.order.boundary = {{Action::save, Action::stop}};
  EXPECT_THROW(recorder.make_agenda(save), Error);
}

TEST(Agenda, StopsWhenAMetricGetsNoBetter) {
  ScopedLogHandler silent([](Severity, std::string_view) {});
  TestedAgenda config = quiet_agenda();
  config.early_stopping =
      EarlyStopping{.evaluator = "held_out", .metric = "accuracy", .patience = 2, .atol = 0.01};
  AgendaRecorder recorder;
  recorder.evaluators = {{"held_out", {EveryN{.n = 1}}}};
  recorder.accuracies = {{1, 0.5}, {2, 0.505}, {3, 0.6}, {4, 0.55}, {5, 0.6}, {6, 0.9}};
  AgendaEnd end = recorder.run(config, {.max_step = 9});
  EXPECT_EQ(end.reason, StopReason::no_improvement);
  EXPECT_EQ(recorder.events().back(), "save 5");
}

// An improvement must exceed atol plus the relative part of the best value.
TEST(Agenda, OnlyWhatIsClearlyBetterCounts) {
  ScopedLogHandler silent([](Severity, std::string_view) {});
  auto last_step = [](double atol, double rtol, Better mode, std::map<std::int64_t, double> found) {
    TestedAgenda config = quiet_agenda();
    config.early_stopping = EarlyStopping{.evaluator = "held_out",
                                          .metric = "accuracy",
                                          .mode = mode,
                                          .patience = 1,
                                          .atol = atol,
                                          .rtol = rtol};
    AgendaRecorder recorder;
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

TEST(Agenda, EarlyStoppingRemembersOverARestart) {
  ScopedLogHandler silent([](Severity, std::string_view) {});
  TestedAgenda config = quiet_agenda();
  config.early_stopping =
      EarlyStopping{.evaluator = "held_out", .metric = "accuracy", .patience = 3};
  auto recorder = [] {
    AgendaRecorder out;
    out.evaluators = {{"held_out", {EveryN{.n = 1}}}};
    out.accuracies = {{1, 0.9}, {2, 0.5}, {3, 0.6}, {4, 0.7}, {5, 0.8}};
    return out;
  };
  AgendaRecorder first = recorder();
  Agenda before = first.make_agenda(config);
  first.run(before, {.max_step = 3});
  AgendaRecorder second = recorder();
  Agenda after = second.make_agenda(config);
  after.set_state(before.state());
  AgendaEnd end = second.run(after, {.step = 3, .is_fresh = false, .max_step = 9});
  EXPECT_EQ(end.step, 4);
  EXPECT_EQ(end.reason, StopReason::no_improvement);
}

TEST(Agenda, WhoAsksToStopAtTheLastStepGetsAFinishedRun) {
  AgendaRecorder recorder;
  recorder.evaluators = {{"held_out", {EveryN{.n = 2}}}};
  recorder.requests[2] = {.stop = true};  // during update 2 of 2
  AgendaEnd end = recorder.run(quiet_agenda(), {.max_step = 2});
  EXPECT_EQ(end.reason, StopReason::max_step);
  EXPECT_EQ(recorder.events().back(), "eval held_out 2");
}

TEST(Agenda, ARequestEndsAWaitForDataAndNothingIsDoneTwice) {
  TestedAgenda config = quiet_agenda();
  config.log = When{EveryN{.n = 1}};
  AgendaRecorder recorder;
  recorder.hangs_at = 2;
  recorder.requests = {{99, {.stop = true}}};
  AgendaEnd end = recorder.run(config, {.max_step = 9});
  EXPECT_EQ(end.reason, StopReason::requested);
  EXPECT_EQ(end.step, 2);
  EXPECT_EQ(recorder.events(), (Events{"update 1", "log 1", "update 2", "log 2", "save 2"}));
}

TEST(Agenda, SavesOnRequestWhileItWaitsForData) {
  AgendaRecorder recorder;
  recorder.hangs_at = 1;
  recorder.requests = {{99, {.save = true}}};
  AgendaEnd end = recorder.run(quiet_agenda(), {.max_step = 2});
  EXPECT_EQ(end.reason, StopReason::max_step);
  EXPECT_EQ(recorder.events(), (Events{"update 1", "save 1", "update 2"}));
}

TEST(Agenda, EndsATraceHoweverItIsLeft) {
  TestedAgenda config = quiet_agenda();
  config.trace.start_steps = {1};
  AgendaRecorder recorder;
  recorder.run(config, {.max_step = 2});
  EXPECT_EQ(recorder.events(), (Events{"update 1", "start_trace 1", "update 2", "stop_trace 2"}));
}

// The boundary it rewinds to has already been handled.
TEST(Agenda, DoesNothingWhereTheRunGoesBackTo) {
  TestedAgenda config = quiet_agenda();
  config.log = When{EveryN{.n = 1}};
  AgendaRecorder recorder;
  recorder.goes_back = {{3, 1}};
  recorder.run(config, {.max_step = 3});
  EXPECT_EQ(recorder.events(),
            (Events{"update 1", "log 1", "update 2", "log 2", "update 3", "log 3"}));
  AgendaRecorder earlier;
  earlier.goes_back = {{2, 1}};
  earlier.run(config, {.max_step = 3});
  EXPECT_EQ(earlier.events(), (Events{"update 1", "log 1", "update 2", "log 2", "went_back 1",
                                      "update 2", "log 2", "update 3", "log 3"}));
}

TEST(Agenda, RefusesOrdersAndTracesThatMakeNoSense) {
  AgendaRecorder recorder;
  TestedAgenda twice = quiet_agenda();
  twice.order.boundary = {{Action::save, Action::save, Action::stop}};
  EXPECT_THROW(recorder.make_agenda(twice), Error);
  TestedAgenda endless = quiet_agenda();
  endless.order.boundary = {{Action::save}};
  EXPECT_THROW(recorder.make_agenda(endless), Error);
  TestedAgenda overlap = quiet_agenda();
  overlap.trace.start_steps = {10, 12};
  EXPECT_THROW(recorder.make_agenda(overlap), Error);
}

}  // namespace
}  // namespace meshwright::train
