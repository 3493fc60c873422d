// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/loop/preset.h"

namespace meshwright::train {

Preset default_preset() {
  using enum Action;
  Preset out;
  out.loop.order.boundary = {{log, eval, save, stop, stop_trace, start_trace}};
  out.loop.log = every(100);
  out.loop.summaries = When();
  out.loop.trace = {.num_steps = 3, .from_start = false};
  out.save = out.eval = every(1000);
  return out;
}

When every(std::optional<std::int64_t> n, EveryN policy) {
  if (!n) return {};
  policy.n = *n;
  return {PolicyConfig(policy)};
}

}  // namespace meshwright::train
