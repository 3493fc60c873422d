// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include "child.h"
#include "inputs.h"
#include "readers.h"

namespace meshwright::hostile {
namespace {

class EveryKind : public testing::TestWithParam<int> {};

TEST_P(EveryKind, IsReadOrRefusedWithinLimits) {
  constexpr std::uint64_t kNumInputs = 6;  // hostile_inputs_many uses more
  const Kind kind = static_cast<Kind>(GetParam());
  for (std::uint64_t seed = 0; seed < kNumInputs; ++seed)
    EXPECT_EQ(try_input(kind, seed), "") << to_string(kind) << " " << seed;
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryKind, testing::Range(0, kNumKinds), [](const auto& param) {
  return to_string(static_cast<Kind>(param.param));
});

// The limits are in effect.
TEST(Limits, AreNoticed) {
  EXPECT_EQ(trouble_of([] {}), "");
  EXPECT_EQ(trouble_of([] { std::abort(); }), "killed by signal 6");
  if (!limits_memory()) return;
  EXPECT_EQ(trouble_of([] {
              std::vector<char> memory(std::size_t{600} << 20, 'x');
              EXPECT_EQ(memory.back(), 'x');
            }).substr(0, 5),
            "took ");
  EXPECT_EQ(trouble_of([] { std::vector<char> memory(std::size_t{1} << 40); }), "out of memory");
}

}  // namespace
}  // namespace meshwright::hostile
