// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/presets.h"

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
Preset axlearn(const Periods& periods) {
  Preset out;
  out.loop.order = {log, eval, save, stop, stop_trace, start_trace};
  out.loop.log = {EveryN{.n = periods.log}, FirstSteps{.count = 5}};
  out.loop.summaries = {EveryN{.n = 1}};
  out.loop.save = every(periods.save, {});
  out.eval = every(periods.eval, {});
  return out;
}

// Steps are counted from where the run began, the last always counts, and a checkpoint comes before
// the evaluations that may take long. Before training it is the other way around.
Preset t5x(const Periods& periods) {
  Preset out;
  out.loop.order = {stop_trace, log, save, eval, stop, start_trace};
  out.loop.order_at_start = {eval, save, stop, start_trace};
  out.loop.log = {EveryN{.n = periods.log, .from_start = true, .and_last = true}};
  out.loop.save = every(periods.save, {.from_start = true, .and_last = true});
  if (periods.save) out.loop.save.emplace_back(AtStart{.fresh = true});
  out.eval = every(periods.eval, {.from_start = true, .and_last = true});
  return out;
}

// All evaluators before the first step, or after the last one in a run that died in between.
Preset big_vision(const Periods& periods) {
  Preset out;
  out.loop.order = {stop_trace, start_trace, log, save, eval, stop};
  out.loop.log = {ItsTime{.n = periods.log}, FirstSteps{.count = 2, .from_start = true}};
  out.loop.save = its_time(periods.save, {});
  if (periods.keep) out.loop.save.emplace_back(ItsTime{.n = *periods.keep, .first = false});
  out.eval = its_time(periods.eval, {.first = false});
  out.eval.emplace_back(AtStart{.fresh = true, .finished = true});
  return out;
}

// A checkpoint at the top of the loop, so never of the step it starts with nor of the last; a
// profile of the two steps after the first.
Preset seqax(const Periods& periods) {
  Preset out;
  out.loop.order = {stop_trace, log, stop, save, start_trace};
  out.loop.log = {EveryN{.n = 1}};
  out.loop.save = every(periods.save, {.except_last = true});
  out.loop.trace = {.start_steps = {1}, .num_steps = 2, .from_start = true};
  return out;
}

struct Named {
  std::string_view name;
  Preset (*make)(const Periods&);
};
constexpr std::array<Named, 4> kPresets = {{
    {"axlearn", axlearn},
    {"t5x", t5x},
    {"big_vision", big_vision},
    {"seqax", seqax},
}};

}  // namespace

Preset preset(std::string_view name, const Periods& periods) {
  std::vector<std::string> names;
  for (const Named& known : kPresets) {
    if (known.name == name) return known.make(periods);
    names.emplace_back(known.name);
  }
  auto nearest = find_nearest(name, names);
  fail(ErrorCode::invalid_argument, "loop: no preset '", name, "', but: ", join(names, ", "),
       nearest ? str("\ndid you mean '", *nearest, "'?") : "");
}

}  // namespace meshwright::train
