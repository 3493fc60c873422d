// SPDX-License-Identifier: Apache-2.0
#include "meshwright/mesh/device_groups.h"

#include <gtest/gtest.h>

namespace meshwright::mesh {
namespace {

using Groups = std::vector<std::vector<std::int64_t>>;

TEST(DeviceGroups, HoldDevicesThatDifferOnlyAlongTheAxes) {
  Mesh mesh({{"d", 2}, {"t", 4}});
  EXPECT_EQ(device_groups(mesh, std::vector{1}), (Groups{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(device_groups(mesh, std::vector{0}), (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(device_groups(mesh, std::vector<int>{}).size(), 8u);
}

TEST(DeviceGroups, FollowTheOrderOfTheAxes) {
  Mesh mesh({{"d", 2}, {"t", 4}});
  EXPECT_EQ(device_groups(mesh, std::vector{0, 1}), (Groups{{0, 1, 2, 3, 4, 5, 6, 7}}));
  EXPECT_EQ(device_groups(mesh, std::vector{1, 0}), (Groups{{0, 4, 1, 5, 2, 6, 3, 7}}));
}

TEST(AxisSets, ConvertBothWays) {
  Mesh mesh({{"a", 2}, {"b", 1}, {"c", 3}});
  EXPECT_EQ(positions(all_axes(mesh)), (std::vector{0, 1, 2}));
  EXPECT_EQ(to_string(mesh, axis_set(std::vector{2, 0})), "a,c");
}

}  // namespace
}  // namespace meshwright::mesh
