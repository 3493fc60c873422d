// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/loop/presets.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "meshwright/base/nearest.h"

namespace meshwright::train {
namespace {

using enum Action;

When every(std::optional<std::int64_t> n, EveryN rest) {
  if (!n) return {};
  rest.n = *n;
  return {PolicyConfig(rest)};
}

When its_time(std::optional<std::int64_t> n, ItsTime rest) {
  if (!n) return {};
  rest.n = *n;
  return {PolicyConfig(rest)};
}

// Evaluators and checkpoints by their policies after each step, and at step 0 of a fresh run; the
// traces of the next step are seen to before it.
Preset axlearn(const PresetConfig& config) {
  Preset out;
  out.loop.order.boundary = {{log, eval, save, stop, stop_trace, start_trace}};
  out.loop.log = When{EveryN{.n = config.log}, FirstSteps{.count = 5}};
  out.loop.summaries = When{EveryN{.n = 1}};
  out.save = every(config.save, {});
  out.eval = every(config.eval, {});
  return out;
}

// Steps are counted from where the run began, the last always counts, and a checkpoint comes before
// the evaluations that may take long. Before training it is the other way around.
Preset t5x(const PresetConfig& config) {
  Preset out;
  out.loop.order.boundary = {{stop_trace, log, save, eval, stop, start_trace}};
  out.loop.order.start = {{eval, save, stop, start_trace}};
  out.loop.log = When{EveryN{.n = config.log, .from_start = true, .and_last = true}};
  out.save = every(config.save, {.from_start = true, .and_last = true});
  if (config.save) out.save.emplace_back(AtStart{.fresh = true});
  out.eval = every(config.eval, {.from_start = true, .and_last = true});
  return out;
}

// All evaluators before the first step, or after the last one in a run that died in between.
Preset big_vision(const PresetConfig& config) {
  Preset out;
  out.loop.order.boundary = {{stop_trace, start_trace, log, save, eval, stop}};
  out.loop.log = When{ItsTime{.n = config.log}, FirstSteps{.count = 2, .from_start = true}};
  out.save = its_time(config.save, {});
  if (config.keep) out.save.emplace_back(ItsTime{.n = *config.keep, .first = false});
  out.eval = its_time(config.eval, {.first = false});
  out.eval.emplace_back(AtStart{.fresh = true, .finished = true});
  return out;
}

// A checkpoint at the top of the loop, so never of the step it starts with nor of the last; a
// profile of the two steps after the first.
Preset seqax(const PresetConfig& config) {
  Preset out;
  out.loop.order.boundary = {{stop_trace, log, stop, save, start_trace}};
  out.loop.log = When{EveryN{.n = 1}};
  out.save = every(config.save, {.except_last = true});
  out.loop.trace = {.start_steps = {1}, .num_steps = 2, .from_start = true};
  return out;
}

struct Named {
  std::string_view name;
  Preset (*make)(const PresetConfig&);
};
constexpr std::array<Named, 4> kPresets = {{
    {"axlearn", axlearn},
    {"t5x", t5x},
    {"big_vision", big_vision},
    {"seqax", seqax},
}};

}  // namespace

std::vector<std::string> preset_names() {
  std::vector<std::string> out;
  for (const Named& known : kPresets)
    out.emplace_back(known.name);
  return out;
}

Preset default_preset() {
  Preset out;
  out.loop.order.boundary = {{stop_trace, log, eval, save, stop, start_trace}};
  out.loop.log = every(100);
  out.loop.summaries = When();
  out.save = out.eval = every(1000);
  return out;
}

Preset preset(const PresetConfig& config) {
  const auto* known = std::ranges::find(kPresets, config.name, &Named::name);
  MW_CHECK(known != kPresets.end(), "loop: no preset '", config.name,
           "', but: ", join(preset_names(), ", "), did_you_mean(config.name, preset_names()));
  return known->make(config);
}

}  // namespace meshwright::train
