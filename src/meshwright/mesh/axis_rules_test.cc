// SPDX-License-Identifier: Apache-2.0
#include "meshwright/mesh/axis_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"

namespace meshwright::mesh {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

AxisRules example() {
  return AxisRules({{"batch", {"data", "fsdp"}}, {"embed", {"fsdp"}}, {"mlp", {"tensor"}}});
}

TEST(AxisRules, AnAxisWithoutARuleIsWhole) {
  EXPECT_EQ(example().sharding("layers embed mlp"), (Sharding{{{}, {"fsdp"}, {"tensor"}}}));
  EXPECT_EQ(example().sharding("batch len"), (Sharding{{{"data", "fsdp"}, {}}}));
  EXPECT_TRUE(AxisRules().sharding("batch len").is_replicated());
}

TEST(AxisRules, OneMeshAxisCannotSplitTwoAxesOfAnArray) {
  std::string message = message_of([] { example().sharding("batch embed"); });
  EXPECT_THAT(message, HasSubstr("mesh axis 'fsdp'"));
  EXPECT_THAT(message, HasSubstr("'batch' and 'embed'"));
}

TEST(AxisRules, RefusesRepetitions) {
  EXPECT_THROW(AxisRules({{"embed", {"a"}}, {"embed", {"b"}}}), Error);
  EXPECT_THROW(AxisRules({{"embed", {"a", "a"}}}), Error);
}

TEST(CheckRules, SuggestsTheNearestMeshAxis) {
  Mesh mesh({{"data", 2}, {"fspd", 2}, {"tensor", 2}});
  std::string message = message_of([&] { check_rules(mesh, example(), "sharding.params"); });
  EXPECT_THAT(message,
              testing::Eq("sharding.params: the rule of axis 'batch': mesh axis 'fsdp' does not "
                          "exist; the mesh is data=2,fspd=2,tensor=2\n"
                          "did you mean 'fspd'? the mesh has 'data', 'fspd', 'tensor'"));
}

TEST(UnusedRules, AreWarnings) {
  std::vector<std::string> axes = {"batch", "len", "embed", "ml"};
  EXPECT_THAT(unused_rules(example(), axes, "sharding.params"),
              ElementsAre(testing::AllOf(HasSubstr("axis 'mlp' matches no array"),
                                         HasSubstr("did you mean 'ml'"))));
}

}  // namespace
}  // namespace meshwright::mesh
