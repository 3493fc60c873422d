// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/mesh_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"

namespace meshwright::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<runtime::DeviceInfo> eight_devices() {
  std::vector<runtime::DeviceInfo> out(8);
  for (int i = 0; i < 8; ++i)
    out[static_cast<std::size_t>(i)].id = i;
  return out;
}

train::Placement placed(const MeshConfig& mesh, const ShardingConfig& sharding = {}) {
  return make_placement(mesh, sharding, eight_devices());
}

TEST(MeshConfig, IsPlacedOnTheDevices) {
  MeshConfig config;
  config.axes = MeshAxes({{"data", std::nullopt}, {"tensor", 2}});
  train::Placement out = placed(config);
  EXPECT_EQ(out.mesh, mesh::Mesh({{"data", 4}, {"tensor", 2}}));
  EXPECT_THAT(out.device_ids, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(MeshConfig, OffloadNeedsPinnedMemory) {
  const ShardingConfig sharding{.offload = ".*"};
  std::vector<runtime::DeviceInfo> devices = eight_devices();
  const MeshConfig config{.axes = MeshAxes({{"data", std::nullopt}})};
  EXPECT_TRUE(make_placement(config, sharding, devices).slots_on_host);
  for (runtime::DeviceInfo& device : devices)
    device.memory_kinds = {"device", "pinned_host"};
  EXPECT_TRUE(make_placement(config, sharding, devices).slots_on_host);
  devices[3].memory_kinds = {"device"};
  EXPECT_THAT(message_of([&] { make_placement(config, sharding, devices); }),
              HasSubstr("no memory of kind 'pinned_host', only device"));
  EXPECT_THAT(message_of([&] { check_pinned_memory("task.model.offload", devices); }),
              HasSubstr("task.model.offload: "));
}

TEST(MeshConfig, NamesAxesBetweenProcesses) {
  MeshConfig config;
  config.axes = MeshAxes({{"host", 1}, {"data", std::nullopt}});
  config.process_axes = {"host"};
  EXPECT_EQ(placed(config).mesh, mesh::Mesh({{"host", 1, mesh::AxisKind::process}, {"data", 8}}));
  config.axes = MeshAxes({{"host", 2}, {"data", std::nullopt}});
  EXPECT_THAT(message_of([&] { placed(config); }),
              AllOf(HasSubstr("process axis 'host' has size 2"), HasSubstr("\nmake")));
  config.process_axes = {"hosts"};
  EXPECT_THAT(message_of([&] { placed(config); }),
              AllOf(HasSubstr("no axis 'hosts'"), HasSubstr("did you mean 'host'")));
}

// Devices of two processes, in turn.
TEST(MeshConfig, SaysWhatCrossesGroupsOfDevices) {
  std::vector<runtime::DeviceInfo> devices = eight_devices();
  for (runtime::DeviceInfo& device : devices)
    device.process = device.id % 2;
  MeshConfig config;
  config.axes = MeshAxes({{"data", 2}, {"fsdp", std::nullopt}});
  config.outer = MeshAxes({{"fsdp", std::nullopt}});
  train::Placement out = make_placement(config, {}, devices);
  EXPECT_EQ(out.mesh, mesh::Mesh({{"data", 2}, {"fsdp", 4}}));
  EXPECT_THAT(out.device_ids, ElementsAre(0, 2, 1, 3, 4, 6, 5, 7));

  config.rules = {{"pair", MeshAxes({{"data", 4}}), MeshAxes({{"data", 2}})}};
  config.selector = "pair";
  EXPECT_THAT(make_placement(config, {}, devices).device_ids, ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
}

TEST(MeshConfig, RefusesAnOuterShapeThatFitsNoAxis) {
  MeshConfig config;
  config.outer = MeshAxes({{"date", 2}});
  EXPECT_THAT(message_of([&] { placed(config); }),
              HasSubstr("mesh.outer: requires axes for the devices within a group"));
  config.axes = MeshAxes({{"data", 4}});
  EXPECT_THAT(message_of([&] { placed(config); }),
              AllOf(HasSubstr("mesh.outer: the mesh has no axis 'date'"),
                    HasSubstr("did you mean 'data'")));
  config.outer = MeshAxes({{"data", 2}});
  EXPECT_THAT(message_of([&] { placed(config); }), HasSubstr("needs 2 granules, but there are 1"));
}

TEST(MeshConfig, TheMeshOfARuleMayHaveOtherProcessAxes) {
  MeshConfig config;
  config.axes = MeshAxes({{"data", 8}});
  config.process_axes = {"host"};
  config.rules = {{"cluster", MeshAxes({{"host", 1}, {"data", 8}})}};
  EXPECT_EQ(placed(config).mesh, mesh::Mesh({{"data", 8}}));
  config.selector = "cluster";
  EXPECT_EQ(placed(config).mesh.axes()[0].kind, mesh::AxisKind::process);
}

TEST(ShardingConfig, HasStrategiesByPath) {
  MeshConfig config;
  config.axes = MeshAxes({{"fsdp", 8}});
  ShardingConfig sharding;
  sharding.strategies = {{".*/w_.*", "fsdp('fsdp')"}, {".*", "replicate"}};
  train::Placement out = placed(config, sharding);
  ASSERT_EQ(out.strategies.size(), 2u);
  EXPECT_EQ(out.strategies[0].strategy, "fsdp('fsdp')");
  EXPECT_TRUE(out.strategies[0].pattern.matches("decoder/w_q"));
}

TEST(ShardingConfig, HasRulesForResultsOfModules) {
  MeshConfig config;
  config.axes = MeshAxes({{"data", 2}, {"tensor", 4}});
  ShardingConfig sharding;
  sharding.outputs = {{"layers/mlp", "(None, ('data', 'tensor'))"}};
  train::Placement out = placed(config, sharding);
  ASSERT_EQ(out.outputs.size(), 1u);
  EXPECT_EQ(out.outputs[0].sharding, (mesh::Sharding{{{}, {"data", "tensor"}}}));
  EXPECT_TRUE(out.outputs[0].pattern.matches("layers/mlp"));
  sharding.outputs[0].mesh_axes = "('date',)";
  EXPECT_THAT(message_of([&] { placed(config, sharding); }),
              AllOf(HasSubstr("sharding.outputs of 'layers/mlp': "), HasSubstr("date")));
}

TEST(MeshConfig, SaysHowManyVirtualDevicesAreWanted) {
  MeshConfig config;
  config.axes = MeshAxes({{"data", 4}, {"tensor", 4}});
  EXPECT_THAT(
      message_of([&] { placed(config); }),
      AllOf(HasSubstr("need 16 devices, but there are 8"), HasSubstr("\nset mesh.num_devices=16")));
}

}  // namespace
}  // namespace meshwright::cli
