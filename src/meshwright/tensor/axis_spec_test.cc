// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tensor/axis_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"

namespace meshwright {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

template <typename Spec>
std::string error_of(std::string_view text) {
  return message_of([&] { Spec::parse(text); });
}

TEST(AxisSpec, SplitsNamesAtSpaces) {
  EXPECT_THAT(AxisSpec("batch len embed").names(), ElementsAre("batch", "len", "embed"));
  EXPECT_THAT(AxisSpec("  w_q   h2 ").names(), ElementsAre("w_q", "h2"));
  EXPECT_THAT(AxisSpec("").names(), IsEmpty());
  EXPECT_THAT(AxisSpec::parse("a b").names(), ElementsAre("a", "b"));
}

TEST(AxisSpec, RejectsTextThatIsNoName) {
  EXPECT_THAT(error_of<AxisSpec>("batch 2d"), HasSubstr("must consist of letters"));
  EXPECT_THAT(error_of<AxisSpec>("batch, len"), HasSubstr("'batch, len'"));
}

TEST(AxisSpec, RejectsANameTwiceInOneArray) {
  EXPECT_EQ(error_of<AxisSpec>("len batch len"),
            "an axis appears twice in one array: 'len batch len'");
  EXPECT_EQ(error_of<AxisSpec>("len length"), "no error");
}

TEST(EinsumSpec, SplitsInputsAndOutput) {
  EinsumSpec spec("batch len embed, embed mlp -> batch len mlp");
  ASSERT_EQ(spec.inputs().size(), 2u);
  EXPECT_THAT(spec.inputs()[0].names(), ElementsAre("batch", "len", "embed"));
  EXPECT_THAT(spec.inputs()[1].names(), ElementsAre("embed", "mlp"));
  EXPECT_THAT(spec.output().names(), ElementsAre("batch", "len", "mlp"));
}

TEST(EinsumSpec, AcceptsScalarsOnEitherSide) {
  EinsumSpec spec("a b->");
  ASSERT_EQ(spec.inputs().size(), 1u);
  EXPECT_THAT(spec.output().names(), IsEmpty());
  EinsumSpec scaled("a, -> a");
  ASSERT_EQ(scaled.inputs().size(), 2u);
  EXPECT_THAT(scaled.inputs()[1].names(), IsEmpty());
}

TEST(EinsumSpec, RejectsAnOutputAxisWithoutInput) {
  EXPECT_EQ(error_of<EinsumSpec>("a b, b c -> a d"),
            "einsum: an output axis does not occur in any input: 'a b, b c -> a d'");
}

TEST(EinsumSpec, RejectsAnAxisOfOneInputAmongSeveralThatTheOutputLacks) {
  const std::string rule =
      "einsum: an axis occurs in only one of several inputs and not in the output";
  for (const char* text : {"batch len mlp, mpl embed -> batch len embed", "a b c, c d -> a d",
                           "a b, b c, c d e -> a d", "a, b -> a", "a b, -> a"})
    EXPECT_EQ(error_of<EinsumSpec>(text), rule + ": '" + text + "'");
  for (const char* text :
       {"a b c -> a", "a b ->", "a b, b c, c d -> a d", "a, a ->", "a b, b a ->"})
    EXPECT_EQ(error_of<EinsumSpec>(text), "no error") << text;
}

TEST(EinsumSpec, RejectsBrokenGrammar) {
  EXPECT_THAT(error_of<EinsumSpec>("a b, b c"), HasSubstr("missing '->'"));
  EXPECT_THAT(error_of<EinsumSpec>("a -> b -> c"), HasSubstr("must consist of letters"));
  EXPECT_THAT(error_of<EinsumSpec>("a a -> a"), HasSubstr("twice in one array"));
  EXPECT_THAT(error_of<EinsumSpec>("a b, b -> a a"), HasSubstr("twice in one array"));
}

}  // namespace
}  // namespace meshwright
