// SPDX-License-Identifier: Apache-2.0
#include "meshwright/mesh/mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"

namespace meshwright::mesh {
namespace {

TEST(Mesh, CountsDevicesAndFindsAxes) {
  Mesh mesh({{"data", 2}, {"tensor", 4}});
  EXPECT_EQ(mesh.num_devices(), 8);
  EXPECT_EQ(mesh.axis_index("tensor"), 1);
  EXPECT_EQ(Mesh().num_devices(), 1);
}

TEST(Mesh, NamesTheAxesThereAreWhenOneIsMissing) {
  Mesh mesh({{"data", 2}, {"tensor", 4}});
  EXPECT_THAT(message_of([&] { mesh.axis_index("model"); }), testing::HasSubstr("data=2,tensor=4"));
}

TEST(Mesh, RefusesRepeatedNamesAndEmptySizes) {
  EXPECT_THROW(Mesh({{"a", 2}, {"a", 2}}), Error);
  EXPECT_THROW(Mesh({{"a", 0}}), Error);
}

TEST(AxisSet, IsASet) {
  AxisSet both = AxisSet::of(0) | AxisSet::of(3);
  EXPECT_TRUE(both.contains(3));
  EXPECT_TRUE(both.contains(AxisSet::of(0)));
  EXPECT_EQ(both - AxisSet::of(0), AxisSet::of(3));
  EXPECT_TRUE((both & AxisSet::of(1)).empty());
}

}  // namespace
}  // namespace meshwright::mesh
