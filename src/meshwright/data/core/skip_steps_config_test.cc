// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/core/skip_steps_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/config/config.h"
#include "meshwright/data/core/source_testutil.h"

namespace meshwright::data {
namespace {

using ::testing::ElementsAre;

struct Holder {
  SkipStepsConfig skip_steps;
  void fields(auto& f) { skip_steps_field(f, skip_steps); }
};

std::vector<BatchRange> ranges(const std::string& toml) {
  return skipped_batches(config::from_toml<Holder>(toml).skip_steps).ranges();
}

TEST(SkipSteps, AreNumbersAndRanges) {
  EXPECT_THAT(ranges("skip_steps = [7, '120-130', 8]"),
              ElementsAre(BatchRange{7, 8}, BatchRange{120, 130}));
  EXPECT_THAT(ranges("skip_steps = 7"), ElementsAre(BatchRange{7, 7}));
  EXPECT_THAT(ranges(""), ElementsAre());
  const Holder read = config::from_toml<Holder>("skip_steps = ['3-4', 9]");
  EXPECT_THAT(config::to_toml(read), testing::HasSubstr("skip_steps = [\"3-4\", 9]"));
}

TEST(SkipSteps, RefuseOtherTexts) {
  for (const char* text : {"'7'", "'a-b'", "'7-'", "'-7'", "'1-2-3'", "''"})
    EXPECT_THAT([&] { ranges(str("skip_steps = [", text, "]")); }, throws_with("FIRST-LAST"));
  EXPECT_THAT([] { ranges("skip_steps = ['9-8']"); }, throws_with("ends before it begins"));
  EXPECT_THAT([] { ranges("skip_steps = [-1]"); }, throws_with("skip_steps"));
}

}  // namespace
}  // namespace meshwright::data
