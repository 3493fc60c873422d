// SPDX-License-Identifier: Apache-2.0
#include "meshwright/systems/preset_testutil.h"

namespace meshwright::systems {

const std::vector<Case> kCases = {{0, 10}, {0, 12}, {4, 11}, {6, 12}, {12, 12}, {0, 13}, {3, 4}};

Events recorded(const train::ForeignSystem& system, Case c, const train::TraceConfig& trace) {
  train::Preset p = system.preset({.log = 4, .save = 3, .keep = 5, .eval = 6});
  if (!trace.start_steps.empty()) p.loop.trace = trace;
  train::AgendaRecorder recorder;
  recorder.evaluators = {{"held_out", p.eval}};
  recorder.run(train::agenda_of(p),
               {.step = c.start, .is_fresh = c.start == 0, .max_step = c.total});
  return recorder.events();
}

std::string at(const char* what, std::int64_t step) {
  return str(what, ' ', step);
}

}  // namespace meshwright::systems
