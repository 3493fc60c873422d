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

TEST(MeshConfig, NamesAxesBetweenProcesses) {
  MeshConfig config;
  config.axes = MeshAxes({{"host", 1}, {"data", std::nullopt}});
  config.process_axes = {"host"};
  EXPECT_EQ(placed(config).mesh, mesh::Mesh({{"host", 1, mesh::AxisKind::process}, {"data", 8}}));
  config.axes = MeshAxes({{"host", 2}, {"data", std::nullopt}});
  EXPECT_THAT(message_of([&] { placed(config); }),
              AllOf(HasSubstr("axis 'host' between processes has size 2"), HasSubstr("\nmake")));
  config.process_axes = {"hosts"};
  EXPECT_THAT(message_of([&] { placed(config); }),
              AllOf(HasSubstr("no axis 'hosts'"), HasSubstr("did you mean 'host'")));
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
  EXPECT_THAT(message_of([&] { placed(config); }),
              AllOf(HasSubstr("for 16 devices, but there are 8"),
                    HasSubstr("\nas many: mesh.num_devices=16")));
}

}  // namespace
}  // namespace meshwright::cli
