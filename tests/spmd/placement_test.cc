// SPDX-License-Identifier: Apache-2.0
// Programs on a mesh whose positions are not in the order of device ids.
#include <algorithm>

#include <gtest/gtest.h>

#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/manual.h"
#include "meshwright/runtime/device_mesh.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "spmd_testutil.h"

namespace meshwright::spmd {
namespace {

TEST(Placement, APositionOfTheMeshIsTheDeviceThatStandsThere) {
  const runtime::Client& client = runtime::test_client();
  std::vector<runtime::DeviceInfo> devices = client.devices();
  std::ranges::reverse(devices);
  runtime::DeviceMesh placed =
      runtime::place_mesh({"d", "t"}, {.inner = {2, std::nullopt}}, devices);
  ASSERT_EQ(placed.mesh, mesh::Mesh({{"d", 2}, {"t", 4}}));
  mesh::Sharding cut{{{"d", "t"}}};
  HostTensor x = random_array({16}, 1);
  auto twice = [](std::span<const Value> args) {
    return graph::manual({{args[0], "x/d/t"}}, {"x/d/t"}, [](std::span<const Value> parts) {
      return std::vector<Value>{parts[0] * 2};
    });
  };
  runtime::Executable program =
      client.compile(trace_on(placed.mesh, {{x, cut}}, twice), {.device_ids = placed.device_ids});
  std::vector<double> expected = x.to_doubles();
  for (double& value : expected)
    value *= 2;
  EXPECT_EQ(run(program, {x})[0].to_doubles(), expected);
}

}  // namespace
}  // namespace meshwright::spmd
