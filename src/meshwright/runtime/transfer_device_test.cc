// SPDX-License-Identifier: Apache-2.0
// Host memory to devices and back, with and without a copy.
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/runtime/client.h"
#include "meshwright/runtime/runtime_testutil.h"

namespace meshwright::runtime {
namespace {

using ::testing::HasSubstr;

const mesh::Mesh kMesh({{"data", 2}, {"tensor", 4}});

/// Returns x + 1 of f32[8,256] with this sharding and x donated.
Executable increment(const mesh::Mesh& mesh, const mesh::Sharding& sharding) {
  graph::Tracer tracer({.mesh = mesh});
  graph::Value x =
      tracer.argument({f32, {8, 256}}, {.name = "x", .sharding = sharding, .donated_to = 0});
  return test_client().compile(tracer.finish({x + 1.0f}, {{.name = "y", .sharding = sharding}}));
}

HostTensor iota() {
  std::vector<float> values(2048);
  std::iota(values.begin(), values.end(), 0.0f);
  return HostTensor::from(values, {8, 256});
}

std::uintptr_t address_of(const HostTensor& tensor) {
  return reinterpret_cast<std::uintptr_t>(tensor.data());
}

TEST(Transfer, CopiesUnlessToldOtherwise) {
  Executable step = increment({}, {});
  HostTensor value = iota();
  DeviceArray x = step.put_argument(0, value);
  EXPECT_NE(x.address(0), address_of(value));
  value.mutable_values<float>()[0] = -1;
  EXPECT_EQ(x.to_host().values<float>()[0], 0);
}

TEST(Transfer, SharesHostMemoryWithoutACopy) {
  Executable step = increment({}, {});
  HostTensor value = iota();
  DeviceArray x = step.put_argument(0, value, HostMemoryUse::share);
  EXPECT_EQ(x.address(0), address_of(value));
}

TEST(Transfer, NeverWritesIntoSharedMemory) {
  for (const auto& [mesh, sharding] :
       {std::pair(mesh::Mesh(), mesh::Sharding{}), std::pair(kMesh, mesh::Sharding{}),
        std::pair(kMesh, mesh::Sharding{{{"data"}}})}) {
    Executable step = increment(mesh, sharding);
    HostTensor value = iota();
    DeviceArray x = step.put_argument(0, value, HostMemoryUse::share);
    EXPECT_EQ(step({x})[0].to_host().values<float>()[5], 6);
    EXPECT_EQ(value.values<float>()[5], 5);
  }
}

TEST(Transfer, KeepsSharedMemoryAsLongAsTheArray) {
  Executable step = increment({}, {});
  DeviceArray x = step.put_argument(0, iota(), HostMemoryUse::share);
  std::vector<HostTensor> others(20, HostTensor(ArrayType{f32, {8, 256}}));
  EXPECT_EQ(x.to_host().values<float>()[2047], 2047);
}

TEST(Transfer, CutsAndJoinsEverySharding) {
  for (const mesh::Sharding& sharding :
       {mesh::Sharding{{{"data"}, {"tensor"}}}, mesh::Sharding{{{"tensor", "data"}}},
        mesh::Sharding{{{}, {"tensor"}}}, mesh::Sharding{{{"data"}}}}) {
    for (HostMemoryUse use : {HostMemoryUse::copy, HostMemoryUse::share}) {
      Executable step = increment(kMesh, sharding);
      DeviceArray x = step.put_argument(0, iota(), use);
      EXPECT_EQ(x.to_host().to_doubles(), iota().to_doubles());
      DeviceArray y = step({x})[0];
      EXPECT_EQ(y.to_host().values<float>()[1000], 1001);
    }
  }
}

TEST(Transfer, TakesAnArrayPartByPart) {
  auto layout = std::make_shared<const ArrayLayout>("x", ArrayType{s32, {8, 4}}, kMesh,
                                                    mesh::Sharding{{{"tensor"}}});
  int num_asked = 0;
  DeviceArray x = test_client().put_shards(layout, [&](std::size_t part) {
    ++num_asked;
    auto first = static_cast<std::int32_t>(layout->ranges(part)[0].start);
    return HostTensor::from(std::vector<std::int32_t>(8, first), {2, 4});
  });
  EXPECT_EQ(num_asked, 4);  // although each part is on two devices
  HostTensor whole = x.to_host();
  EXPECT_EQ(whole.values<std::int32_t>()[0], 0);
  EXPECT_EQ(whole.values<std::int32_t>()[31], 6);
}

TEST(Transfer, RefusesAPartOfAnotherShape) {
  auto layout =
      std::make_shared<const ArrayLayout>("x", ArrayType{s32, {8}}, mesh::Mesh(), mesh::Sharding{});
  auto wrong = [](std::size_t) { return HostTensor(ArrayType{s32, {4}}); };
  EXPECT_THROW(test_client().put_shards(layout, wrong), Error);
}

TEST(Transfer, RefusesMoreDevicesThanThereAre) {
  EXPECT_THROW(test_client().put(iota(), mesh::Mesh({{"data", 16}})), Error);
}

TEST(ShardView, ReadsInPlace) {
  Executable step = increment(kMesh, mesh::Sharding{{{"data"}, {"tensor"}}});
  DeviceArray x = step.put_argument(0, iota());
  ShardView view = x.view_shard(5);
  EXPECT_EQ(view.type(), (ArrayType{f32, {4, 64}}));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(view.bytes().data()), x.address(5));
  EXPECT_EQ(view.values<float>()[0], 4 * 256 + 64);
}

TEST(ShardView, OutlivesTheHandle) {
  Executable step = increment({}, {});
  DeviceArray x = step.put_argument(0, iota());
  ShardView view = x.view_shard(0);
  x = DeviceArray();
  EXPECT_EQ(view.values<float>()[2047], 2047);
}

TEST(ShardView, HoldsOffADonation) {
  Executable step = increment({}, {});
  DeviceArray x = step.put_argument(0, iota());
  {
    ShardView view = x.view_shard(0);
    EXPECT_THAT(message_of([&] { step({x}); }),
                HasSubstr("argument 0 (x) is donated, but a ShardView"));
    EXPECT_EQ(view.values<float>()[7], 7);
  }
  EXPECT_EQ(step({x})[0].to_host().values<float>()[7], 8);
}

}  // namespace
}  // namespace meshwright::runtime
