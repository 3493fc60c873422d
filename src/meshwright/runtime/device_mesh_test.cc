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
    devices.push_back(
        {.id = 10 + i, .process = i % 2, .slice = {}, .kind = "", .memory_kinds = {}});
  DeviceMesh placed = place_mesh({"data", "tensor"}, {.inner = {std::nullopt, 4}}, devices);
  EXPECT_EQ(placed.mesh, mesh::Mesh({{"data", 2}, {"tensor", 4}}));
  EXPECT_THAT(placed.device_ids, ElementsAre(10, 12, 14, 16, 11, 13, 15, 17));
}

TEST(PlaceMesh, CutsTheFirstAxisOverSlicesOfTpusNotOverTheirProcesses) {
  std::vector<DeviceInfo> devices(8);
  for (int i = 0; i < 8; ++i) {
    devices[static_cast<std::size_t>(i)].id = i;
    devices[static_cast<std::size_t>(i)].process = i / 2;
    devices[static_cast<std::size_t>(i)].slice = i % 2;
  }
  DeviceMesh placed = place_mesh({"data", "tensor"}, {.inner = {2, 4}}, devices);
  EXPECT_THAT(placed.device_ids, ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
  for (DeviceInfo& device : devices)
    device.slice = 0;
  // Its 4 processes would have wanted a multiple of 4.
  placed = place_mesh({"data", "tensor"}, {.inner = {2, 4}}, devices);
  EXPECT_THAT(placed.device_ids, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

}  // namespace
}  // namespace meshwright::runtime
