// SPDX-License-Identifier: Apache-2.0
#include "meshwright/mesh/shards.h"

#include <algorithm>
#include <map>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"

namespace meshwright::mesh {
namespace {

using testing::HasSubstr;

std::string layout_message(const Mesh& mesh, const Sharding& sharding, const Dims& dims) {
  return message_of([&] { ShardLayout layout(mesh, sharding, dims); });
}

TEST(ShardLayout, CutsDimensionsOverTheirMeshAxes) {
  ShardLayout layout(Mesh({{"data", 2}, {"tensor", 4}}), {{{}, {"tensor"}}}, {6, 8});
  EXPECT_EQ(layout.shard_dims(), (Dims{6, 2}));
  EXPECT_EQ(layout.num_shards(), 4);
  EXPECT_EQ(layout.num_replicas(), 2);
  EXPECT_EQ(layout.shard(6), (Shard{.index = 2, .replica = 1, .ranges = {{0, 6}, {4, 6}}}));
}

TEST(ShardLayout, AxesOfOneDimensionRunFromMajorToMinor) {
  Mesh mesh({{"d", 2}, {"t", 4}});
  ShardLayout by_d(mesh, {{{"d", "t"}}}, {16});
  ShardLayout by_t(mesh, {{{"t", "d"}}}, {16});
  EXPECT_EQ(by_d.shard(1).ranges[0], (Range{2, 4}));
  EXPECT_EQ(by_t.shard(1).ranges[0], (Range{4, 6}));
  EXPECT_EQ(by_t.shard(4).ranges[0], (Range{2, 4}));
}

TEST(ShardLayout, AScalarIsOnePartOnEveryDevice) {
  ShardLayout layout(Mesh({{"data", 2}, {"tensor", 4}}), Sharding::replicated(), {});
  EXPECT_EQ(layout.num_shards(), 1);
  EXPECT_EQ(layout.shard(5).replica, 5);
}

TEST(ShardLayout, AnUnevenDimensionNamesItsMeshAxes) {
  std::string message =
      layout_message(Mesh({{"data", 2}, {"fsdp", 4}}), {{{}, {"data", "fsdp"}}}, {8, 12});
  EXPECT_THAT(message, HasSubstr("dimension 1 is 12"));
  EXPECT_THAT(message, HasSubstr("data=2,fsdp=4"));
}

TEST(ShardLayout, RefusesUnknownAndRepeatedAxesAndTooManyDimensions) {
  Mesh mesh({{"data", 2}, {"fsdp", 4}});
  EXPECT_THAT(layout_message(mesh, {{{"model"}}}, {8}), HasSubstr("'model' does not exist"));
  EXPECT_THAT(layout_message(mesh, {{{"data"}, {"data"}}}, {8, 8}), HasSubstr("used twice"));
  EXPECT_THAT(layout_message(mesh, {{{}, {"data"}}}, {8}), HasSubstr("more dimensions"));
}

struct Case {
  Mesh mesh;
  Sharding sharding;
  Dims dims;
};

// Returns a random mesh, and an array whose dimensions are split by random axes in random order.
Case random_case(std::mt19937& rng) {
  auto below = [&](int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); };
  std::vector<MeshAxis> axes;
  for (int i = 0, n = below(4); i < n; ++i)
    axes.push_back({str("axis", i), 1 + below(4)});
  Case out{Mesh(axes), {}, {}};
  int rank = below(4);
  out.sharding.dims.resize(static_cast<std::size_t>(rank));
  out.dims.resize(static_cast<std::size_t>(rank));
  for (std::int64_t& dim : out.dims)
    dim = 1 + below(3);
  std::shuffle(axes.begin(), axes.end(), rng);
  for (const MeshAxis& axis : axes) {
    if (rank == 0 || below(3) == 0) continue;
    auto dim = static_cast<std::size_t>(below(rank));
    out.sharding.dims[dim].push_back(axis.name);
    out.dims[dim] *= axis.size;
  }
  return out;
}

TEST(ShardLayout, EachReplicaTilesTheArrayExactlyOnce) {
  std::mt19937 rng(7);
  for (int trial = 0; trial < 300; ++trial) {
    auto [mesh, sharding, dims] = random_case(rng);
    ShardLayout layout(mesh, sharding, dims);
    ASSERT_EQ(layout.num_devices(), mesh.num_devices());
    auto elements = static_cast<std::size_t>(num_elements(dims));
    std::map<std::int64_t, std::vector<int>> covered;  // by replica, per element
    for (std::int64_t device = 0; device < mesh.num_devices(); ++device) {
      Shard shard = layout.shard(device);
      std::vector<int>& counts = covered[shard.replica];
      counts.resize(elements);
      Runs parts = runs(dims, shard.ranges);
      for (std::int64_t offset : parts.offsets) {
        for (std::int64_t i = 0; i < parts.length; ++i)
          ++counts[static_cast<std::size_t>(offset + i)];
      }
      EXPECT_EQ(layout.device(shard.index, shard.replica), device);
    }
    ASSERT_EQ(std::ssize(covered), layout.num_replicas()) << to_string(mesh) << to_string(sharding);
    for (const auto& [replica, counts] : covered) {
      ASSERT_EQ(counts, std::vector<int>(elements, 1)) << to_string(mesh) << to_string(sharding);
    }
  }
}

TEST(ShardLayout, ReplicasAreNumberedInTheOrderOfDevices) {
  std::mt19937 rng(8);
  for (int trial = 0; trial < 100; ++trial) {
    auto [mesh, sharding, dims] = random_case(rng);
    ShardLayout layout(mesh, sharding, dims);
    std::map<std::int64_t, std::int64_t> seen;
    for (std::int64_t device = 0; device < mesh.num_devices(); ++device) {
      Shard shard = layout.shard(device);
      ASSERT_EQ(shard.replica, seen[shard.index]++);
    }
  }
}

TEST(Runs, MergeWholeDimensions) {
  Runs slice = runs({4, 3, 5}, {{1, 3}, {0, 3}, {0, 5}});
  EXPECT_EQ(slice.length, 30);
  EXPECT_EQ(slice.offsets, (std::vector<std::int64_t>{15}));
  EXPECT_EQ(runs({4, 6}, {{0, 2}, {2, 4}}).offsets, (std::vector<std::int64_t>{2, 8}));
  EXPECT_EQ(runs({}, {}).offsets.size(), 1u);
  EXPECT_TRUE(runs({0, 2}, {{0, 0}, {0, 1}}).offsets.empty());
}

}  // namespace
}  // namespace meshwright::mesh
