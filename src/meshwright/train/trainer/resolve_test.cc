// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/trainer/resolve.h"

#include <gmock/gmock.h>

namespace meshwright::train {
namespace {

using testing::ElementsAre;
using testing::Optional;
using enum Action;

// A preset with an order of its own at the start, as T5X has.
Preset with_both_orders() {
  Preset out = default_preset();
  out.loop.order.boundary = {{stop_trace, log, save, eval, stop, start_trace}};
  out.loop.order.start = {{eval, save, stop, start_trace}};
  return out;
}

// Returns the order of a config that sets `own`, resolved with that preset.
OrderConfig order_of(const OrderConfig& own) {
  TrainConfig config;
  config.loop.order = own;
  resolve(config, with_both_orders());
  return config.loop.order;
}

TEST(Resolve, TakesBothOrdersFromThePreset) {
  const OrderConfig order = order_of({});
  EXPECT_EQ(order.boundary, with_both_orders().loop.order.boundary);
  EXPECT_THAT(order.start, Optional(ElementsAre(eval, save, stop, start_trace)));
}

TEST(Resolve, AnOrderOfTheStartLeavesTheOtherBoundariesToThePreset) {
  const OrderConfig order = order_of({.start = {{save, stop}}});
  EXPECT_EQ(order.boundary, with_both_orders().loop.order.boundary);
  EXPECT_THAT(order.start, Optional(ElementsAre(save, stop)));
}

TEST(Resolve, AnOrderOfTheBoundaryAlsoAppliesAtTheStart) {
  const OrderConfig order = order_of({.boundary = {{log, stop}}});
  EXPECT_THAT(order.boundary, Optional(ElementsAre(log, stop)));
  EXPECT_EQ(order.start, std::nullopt);
}

// Returns the traces of a config that sets `own`, resolved with a preset that traces as seqax does.
TraceConfig traces_of(const TraceConfig& own) {
  TrainConfig config;
  config.loop.trace = own;
  Preset preset = default_preset();
  preset.loop.trace = {.start_steps = {1}, .num_steps = 2, .from_start = true};
  resolve(config, preset);
  return config.loop.trace;
}

TEST(Resolve, TakesTracesFromThePreset) {
  const TraceConfig trace = traces_of({.processes = Everyone::all});
  EXPECT_THAT(trace.start_steps, ElementsAre(1));
  EXPECT_THAT(trace.num_steps, Optional(2));
  EXPECT_THAT(trace.from_start, Optional(true));
  EXPECT_EQ(trace.processes, Processes(Everyone::all));
}

TEST(Resolve, KeepsTheLengthOfATraceThatTheConfigSets) {
  const TraceConfig trace = traces_of({.num_steps = 3});
  EXPECT_THAT(trace.start_steps, ElementsAre(1));
  EXPECT_THAT(trace.num_steps, Optional(3));
  EXPECT_THAT(trace.from_start, Optional(true));
}

TEST(Resolve, KeepsTheOriginOfATracesStepsThatTheConfigSets) {
  const TraceConfig trace = traces_of({.from_start = false});
  EXPECT_THAT(trace.start_steps, ElementsAre(1));
  EXPECT_THAT(trace.num_steps, Optional(2));
  EXPECT_THAT(trace.from_start, Optional(false));
}

TEST(Resolve, APresetsLengthOfATraceDoesNotApplyToTheConfigsOwnSteps) {
  const TraceConfig trace = traces_of({.start_steps = {40}});
  EXPECT_THAT(trace.start_steps, ElementsAre(40));
  EXPECT_THAT(trace.num_steps, Optional(3));
  EXPECT_THAT(trace.from_start, Optional(false));
}

}  // namespace
}  // namespace meshwright::train
