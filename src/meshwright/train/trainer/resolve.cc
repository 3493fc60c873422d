// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/trainer/resolve.h"

#include <utility>

namespace meshwright::train {
namespace {

void set_if_auto(config::OrAuto<When>& when, const When& value) {
  if (when.is_auto()) when.emplace(value);
}

}  // namespace

void resolve(TrainConfig& config, const Preset& preset) {
  set_if_auto(config.loop.log, preset.loop.log.value());
  set_if_auto(config.loop.summaries, preset.loop.summaries.value_or(When()));
  set_if_auto(config.checkpoint.when, preset.save);
  for (auto& [name, evaluator] : config.evaluators)
    set_if_auto(evaluator.when, preset.eval);
  OrderConfig& order = config.loop.order;
  // The config's own order of a boundary also applies before the first update.
  if (!order.boundary) {
    order.boundary = preset.loop.order.boundary;
    if (!order.start) order.start = preset.loop.order.start;
  }
  TraceConfig& trace = config.loop.trace;
  if (trace.start_steps.empty()) {
    const Processes processes = std::move(trace.processes);
    trace = preset.loop.trace;
    trace.processes = processes;
  }
}

}  // namespace meshwright::train
