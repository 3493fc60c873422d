// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/config/config.h"

namespace meshwright::config {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Rules {
  std::string pattern;
  void fields(auto& f) { f.required("pattern", pattern, kPattern, "of names"); }
};

TEST(Pattern, IsWhatARegexTakes) {
  EXPECT_EQ(from_toml<Rules>("pattern = 'layers/.*'").pattern, "layers/.*");
}

TEST(Pattern, ThatIsNoneIsToldWithItsPlace) {
  for (const char* text : {"pattern = '('", "pattern = ''"}) {
    EXPECT_THAT(message_of([&] { from_toml<Rules>(text); }),
                AllOf(HasSubstr(":1:11: pattern is "),
                      HasSubstr("but must be a nonempty regular expression")));
  }
}

}  // namespace
}  // namespace meshwright::config
