// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/regex_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"

namespace meshwright {
namespace {

using testing::HasSubstr;

TEST(RegexTemplate, PutsGroupsIntoTheTemplate) {
  const Regex layers("decoder/layers_(\\d+)/(.*)");
  EXPECT_EQ(expand_match(layers, "decoder/layers_12/mlp/wi", "stack/\\1/\\2"), "stack/12/mlp/wi");
  EXPECT_EQ(expand_match(layers, "decoder/layers_12/mlp/wi", "old/\\0"),
            "old/decoder/layers_12/mlp/wi");
  EXPECT_EQ(expand_match(Regex("a(b)?"), "a", "[\\1]"), "[]");
  EXPECT_EQ(expand_match(Regex("a"), "a", "\\\\1"), "\\1");
}

TEST(RegexTemplate, GivesNothingUnlessAllOfTheTextMatches) {
  EXPECT_EQ(expand_match(Regex("a"), "ab", "c"), std::nullopt);
}

TEST(RegexTemplate, RefusesGroupsThatAreNotThere) {
  EXPECT_THAT(message_of([] { expand_match(Regex("(a)"), "a", "\\2"); }), HasSubstr("1 groups"));
  EXPECT_THAT(message_of([] { expand_match(Regex("a"), "a", "\\n"); }),
              HasSubstr("expected a digit"));
  EXPECT_THAT(message_of([] { expand_match(Regex("a"), "a", "b\\"); }),
              HasSubstr("expected a digit"));
}

}  // namespace
}  // namespace meshwright
