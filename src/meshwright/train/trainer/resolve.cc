// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/trainer/resolve.h"

namespace meshwright::train {
namespace {

template <typename T>
void set_if_auto(config::OrAuto<T>& setting, const T& value) {
  if (setting.is_auto()) setting.emplace(value);
}

// The preset's length of a trace belongs to its steps, so it does not apply to the config's own.
void resolve_trace(TraceConfig& trace, const TraceConfig& preset) {
  const TraceConfig defaults = default_preset().loop.trace;
  const TraceConfig& others = trace.start_steps.empty() ? preset : defaults;
  if (trace.start_steps.empty()) trace.start_steps = preset.start_steps;
  set_if_auto(trace.num_steps, others.num_steps.value_or(*defaults.num_steps));
  set_if_auto(trace.from_start, others.from_start.value_or(*defaults.from_start));
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
  resolve_trace(config.loop.trace, preset.loop.trace);
}

}  // namespace meshwright::train
