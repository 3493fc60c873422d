// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "meshwright/systems/preset_testutil.h"
#include "meshwright/systems/seqax/seqax.h"

namespace meshwright::systems {
namespace {

// seqax counts steps from 0: its log of step k comes after k + 1 updates.
Events loop_of_seqax(Case c) {
  Events out;
  for (std::int64_t step = c.start; step < c.total; ++step) {
    if (step % 3 == 0 && step > c.start) out.push_back(at("save", step));
    if (step == c.start + 1) out.push_back(at("start_trace", step));
    out.push_back(at("update", step + 1));
    if (step == c.start + 2) out.push_back(at("stop_trace", step + 1));
    out.push_back(at("log", step + 1));
  }
  return out;
}

TEST(SeqaxPreset, Order) {
  for (Case c : kCases)
    EXPECT_EQ(recorded(seqax(), c), loop_of_seqax(c)) << c.start << " to " << c.total;
}

}  // namespace
}  // namespace meshwright::systems
