// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/preset.h"

#include <utility>

#include "meshwright/cli/run_config.h"
#include "meshwright/train/presets.h"

namespace meshwright::cli {
namespace {

train::Preset chosen(const std::optional<PresetConfig>& config) {
  if (!config) return {.loop = {}, .eval = train::EvaluatorConfig().when};
  return train::preset(
      config->name,
      {.log = config->log, .save = config->save, .keep = config->keep, .eval = config->eval});
}

void set_if_auto(config::OrAuto<train::When>& when, const train::When& value) {
  if (when.is_auto()) when.emplace(value);
}

}  // namespace

RunConfig with_preset(RunConfig config) {
  const train::Preset preset = chosen(config.preset);
  set_if_auto(config.log, preset.loop.log);
  set_if_auto(config.summaries, preset.loop.summaries);
  set_if_auto(config.checkpoint.when, preset.loop.save);
  for (auto& [name, entry] : config.evaluators)
    set_if_auto(entry.when, preset.eval);
  // An order of the config's own stands for both boundaries.
  if (!config.order.boundary && !config.order.start)
    config.order = {preset.loop.order, preset.loop.order_at_start};
  if (config.trace.start_steps.empty()) {
    const train::Processes processes = std::move(config.trace.processes);
    config.trace = preset.loop.trace;
    config.trace.processes = processes;
  }
  return config;
}

}  // namespace meshwright::cli
