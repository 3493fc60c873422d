// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gtest/gtest.h>

#include "meshwright/systems/big_vision/big_vision.h"
#include "meshwright/systems/preset_testutil.h"

namespace meshwright::systems {
namespace {

bool itstime(std::int64_t step, double n, std::int64_t total, bool last, bool first) {
  bool close_to_last = std::abs(static_cast<double>(step - total)) < 0.25 * n;
  bool is_step = step % static_cast<std::int64_t>(n) == 0 && !close_to_last;
  return is_step || (last && step == total) || (first && step == 1);
}

Events loop_of_big_vision(Case c) {
  Events out;
  if (c.start == c.total || c.start == 0) out.push_back(at("eval held_out", c.start));
  int ticks = 0;
  for (std::int64_t step = c.start + 1; step <= c.total; ++step) {
    out.push_back(at("update", step));
    if (itstime(step, 4, c.total, true, true) || ticks < 2) {
      out.push_back(at("log", step));
      ++ticks;
    }
    if (itstime(step, 5, c.total, true, false) || itstime(step, 3, c.total, true, true))
      out.push_back(at("save", step));
    if (itstime(step, 6, c.total, true, false)) out.push_back(at("eval held_out", step));
  }
  return out;
}

TEST(BigVisionPreset, Order) {
  for (Case c : kCases)
    EXPECT_EQ(recorded(big_vision(), c), loop_of_big_vision(c)) << c.start << " to " << c.total;
}

}  // namespace
}  // namespace meshwright::systems
