// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/device_mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace meshwright::runtime {
namespace {

using testing::ElementsAre;

TEST(PlaceMesh, KeepsTheInnerAxisWithinProcesses) {
  // As a plugin may list them: ids of two processes in turn.
  std::vector<DeviceInfo> devices;
  for (int i = 0; i < 8; ++i)
    devices.push_back({.id = 10 + i, .process = i % 2, .kind = "", .memory_kinds = {}});
  DeviceMesh placed = place_mesh({"data", "tensor"}, {.inner = {std::nullopt, 4}}, devices);
  EXPECT_EQ(placed.mesh, mesh::Mesh({{"data", 2}, {"tensor", 4}}));
  EXPECT_THAT(placed.device_ids, ElementsAre(10, 12, 14, 16, 11, 13, 15, 17));
}

}  // namespace
}  // namespace meshwright::runtime
