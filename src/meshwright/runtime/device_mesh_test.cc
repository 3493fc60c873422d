// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/device_mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/log.h"

namespace meshwright::runtime {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A mesh placed on devices, with the warnings logged.
struct Placed {
  std::vector<int> device_ids;
  std::vector<std::string> warnings;
};

Placed placed_with_warnings(const mesh::MeshShape& shape, const std::vector<DeviceInfo>& devices) {
  Placed out;
  ScopedLogHandler handler(
      [&](Severity, std::string_view message) { out.warnings.emplace_back(message); });
  out.device_ids = place_mesh({"data", "tensor"}, shape, devices).device_ids;
  return out;
}

/// Returns 2x4 chips of a TPU, with x varying fastest.
std::vector<DeviceInfo> eight_tpus() {
  std::vector<DeviceInfo> out(8);
  for (int i = 0; i < 8; ++i) {
    DeviceInfo& device = out[static_cast<std::size_t>(i)];
    device.id = 10 + i;
    device.slice = 0;
    device.kind = "TPU v4";
    device.place = {i % 2, i / 2, 0, 0};
  }
  return out;
}

TEST(PlaceMesh, KeepsTheInnerAxisWithinProcesses) {
  // A possible order of a plugin: ids of two processes in turn.
  std::vector<DeviceInfo> devices;
  for (int i = 0; i < 8; ++i)
    devices.push_back(
        {.id = 10 + i, .process = i % 2, .slice = {}, .kind = "", .memory_kinds = {}});
  DeviceMesh placed = place_mesh({"data", "tensor"}, {.inner = {std::nullopt, 4}}, devices);
  EXPECT_EQ(placed.mesh, mesh::Mesh({{"data", 2}, {"tensor", 4}}));
  EXPECT_THAT(placed.device_ids, ElementsAre(10, 12, 14, 16, 11, 13, 15, 17));
}

TEST(PlaceMesh, CutsTheFirstAxisOverSlicesOfTpusNotOverTheirProcesses) {
  std::vector<DeviceInfo> devices = eight_tpus();
  for (DeviceInfo& device : devices) {
    device.process = (device.id - 10) / 2;
    device.slice = device.id % 2;
    device.place = {0, (device.id - 10) / 2, 0, 0};
  }
  Placed placed = placed_with_warnings({.inner = {2, 4}}, devices);
  EXPECT_THAT(placed.device_ids, ElementsAre(10, 12, 14, 16, 11, 13, 15, 17));
  EXPECT_THAT(placed.warnings, IsEmpty());
  // Its 4 processes would have required a multiple of 4.
  placed = placed_with_warnings({.inner = {2, 4}}, eight_tpus());
  EXPECT_THAT(placed.device_ids, ElementsAre(10, 12, 14, 16, 11, 13, 15, 17));
}

TEST(PlaceMesh, FollowsTheTorusOfTpus) {
  Placed placed = placed_with_warnings({.inner = {4, 2}}, eight_tpus());
  EXPECT_THAT(placed.device_ids, ElementsAre(10, 11, 12, 13, 14, 15, 16, 17));
  placed = placed_with_warnings({.inner = {2, 4}}, eight_tpus());
  EXPECT_THAT(placed.device_ids, ElementsAre(10, 12, 14, 16, 11, 13, 15, 17));
  EXPECT_THAT(placed.warnings, IsEmpty());
}

TEST(PlaceMesh, WarnsOnceOfAMeshThatTheTorusDoesNotFit) {
  std::vector<DeviceInfo> devices = eight_tpus();
  for (DeviceInfo& device : devices)
    device.place = {(device.id - 10) % 4, 0, 0, 0};
  for (std::size_t i = 4; i < 8; ++i)
    devices[i].slice = 1;
  Placed placed = placed_with_warnings({.inner = {4, 2}}, devices);
  EXPECT_THAT(placed.device_ids, ElementsAre(10, 11, 12, 13, 14, 15, 16, 17));
  EXPECT_THAT(
      placed.warnings,
      ElementsAre(
          "the mesh data=4,tensor=2 does not follow the links between the TPUs, "
          "which may reduce performance: size 2 of axis 1 is not a product of whole sides of the "
          "torus 4x1x1"));
}

TEST(PlaceMesh, WarnsOfTpusWithoutPlaces) {
  std::vector<DeviceInfo> devices = eight_tpus();
  devices[3].place.reset();
  Placed placed = placed_with_warnings({.inner = {2, 4}}, devices);
  EXPECT_THAT(placed.device_ids, ElementsAre(10, 11, 12, 13, 14, 15, 16, 17));
  EXPECT_THAT(
      placed.warnings,
      ElementsAre("the mesh data=2,tensor=4 does not follow the links between the TPUs, "
                  "which may reduce performance: the plugin does not report their positions"));
  devices.resize(1);
  EXPECT_THAT(placed_with_warnings({.inner = {1, 1}}, devices).warnings, IsEmpty());
}

}  // namespace
}  // namespace meshwright::runtime
