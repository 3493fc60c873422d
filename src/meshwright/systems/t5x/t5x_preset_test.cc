// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "meshwright/systems/preset_testutil.h"
#include "meshwright/systems/t5x/t5x.h"

namespace meshwright::systems {
namespace {

Events loop_of_t5x(Case c) {
  Events out;
  std::int64_t step = c.start;
  // "Saving checkpoint before the training loop starts."; one that exists is skipped.
  if (c.start == 0) out.push_back(at("save", step));
  if (c.total == c.start) return out;
  while (step < c.total) {
    step += 1;
    out.push_back(at("update", step));
    bool is_final = step == c.total;
    std::int64_t offset = step - c.start;
    if (is_final || offset % 4 == 0) out.push_back(at("log", step));
    if (is_final || offset % 3 == 0) out.push_back(at("save", step));
    if (is_final || offset % 6 == 0) out.push_back(at("eval held_out", step));
  }
  return out;
}

TEST(T5xPreset, Order) {
  for (Case c : kCases)
    EXPECT_EQ(recorded(t5x(), c), loop_of_t5x(c)) << c.start << " to " << c.total;
}

}  // namespace
}  // namespace meshwright::systems
