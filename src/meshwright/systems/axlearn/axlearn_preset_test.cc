// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "meshwright/systems/axlearn/axlearn.h"
#include "meshwright/systems/preset_testutil.h"

namespace meshwright::systems {
namespace {

Events loop_of_axlearn(Case c, const std::vector<std::int64_t>& traces) {
  Events out;
  std::int64_t step = c.start;
  auto eval_and_save = [&] {
    if (step >= 1 && step % 6 == 0) out.push_back(at("eval held_out", step));
    if (step >= 1 && step % 3 == 0) out.push_back(at("save", step));
  };
  if (c.start == 0) eval_and_save();
  if (step >= c.total) return out;
  std::int64_t stop_trace_step = -1;
  while (true) {
    if (step == stop_trace_step) {
      out.push_back(at("stop_trace", step));
      stop_trace_step = -1;
    }
    for (std::int64_t t : traces) {
      if (t != step || stop_trace_step >= 0) continue;
      out.push_back(at("start_trace", step));
      stop_trace_step = step + 3;
    }
    step += 1;
    out.push_back(at("update", step));
    const bool is_logged = step % 4 == 0 || (0 <= step && step <= 5);
    out.push_back(at(is_logged ? "log" : "summarize", step));
    eval_and_save();
    if (step >= c.total) break;
  }
  if (stop_trace_step >= 0) out.push_back(at("stop_trace", step));  // AXLearn leaves it running
  return out;
}

TEST(AxlearnPreset, Order) {
  for (Case c : kCases)
    EXPECT_EQ(recorded(axlearn(), c), loop_of_axlearn(c, {})) << c.start << " to " << c.total;
}

TEST(AxlearnPreset, Traces) {
  train::TraceConfig trace{.start_steps = {0, 4, 7, 11}, .num_steps = 3};
  for (Case c : kCases) {
    EXPECT_EQ(recorded(axlearn(), c, trace), loop_of_axlearn(c, trace.start_steps))
        << c.start << " to " << c.total;
  }
}

}  // namespace
}  // namespace meshwright::systems
