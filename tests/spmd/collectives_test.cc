// SPDX-License-Identifier: Apache-2.0
// Collectives in manual regions, element by element.
#include "meshwright/graph/ops/collectives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/manual.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/shape.h"
#include "spmd_testutil.h"

namespace meshwright::spmd {
namespace {

using namespace graph;  // NOLINT(google-build-using-namespace)
using mesh::Mesh;
using testing::ElementsAre;

HostTensor counting_array(Dims dims) {
  std::vector<float> values(static_cast<std::size_t>(num_elements(dims)));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i);
  return HostTensor::from(values, std::move(dims));
}

std::vector<float> floats(const HostTensor& tensor) {
  auto values = tensor.values<float>();
  return {values.begin(), values.end()};
}

// Runs a body on the shards of 0, 1, ..., n-1.
std::vector<float> on_parts(mesh::ShardSpec in,
                            mesh::ShardSpec out,
                            std::int64_t n,
                            const std::function<Value(Value)>& body,
                            const Mesh& mesh = kMesh,
                            const ManualOptions& options = {}) {
  auto program = [&](std::span<const Value> args) {
    return manual(
        {{args[0], in}}, {out},
        [&](std::span<const Value> parts) { return std::vector<Value>{body(parts[0])}; }, options);
  };
  return floats(run_on(mesh, {{counting_array({n}), {}}}, program).results[0]);
}

TEST(Manual, GivesEveryDeviceItsPart) {
  auto twice = [](Value x) { return x * 2; };
  std::vector<float> expected = {0, 2, 4, 6, 8, 10, 12, 14};
  EXPECT_EQ(on_parts("x/d", "x/d", 8, twice), expected);
  EXPECT_EQ(on_parts("x/d/t", "x/d/t", 8, twice), expected);
  EXPECT_EQ(on_parts("x/t/d", "x/t/d", 8, twice), expected);
}

TEST(AxisIndex, CountsAlongTheMeshAxesInTheOrderNamed) {
  auto index = [](const MeshAxes& axes) {
    return [axes](Value x) { return x * 0 + cast(axis_index(axes), f32); };
  };
  EXPECT_THAT(on_parts("x/d/t", "x/d/t", 8, index({"d"})), ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
  EXPECT_THAT(on_parts("x/d/t", "x/d/t", 8, index({"t"})), ElementsAre(0, 1, 2, 3, 0, 1, 2, 3));
  EXPECT_THAT(on_parts("x/d/t", "x/d/t", 8, index({"d", "t"})),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(on_parts("x/d/t", "x/d/t", 8, index({"t", "d"})),
              ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
}

TEST(AxisIndex, WorksWhereOtherMeshAxesAreLeftToThePartitioner) {
  auto index = [](Value x) { return x * 0 + cast(axis_index({"t"}), f32); };
  EXPECT_THAT(on_parts("x/t", "x/t", 8, index, kMesh, {.axes = {"t"}}),
              ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
}

TEST(AllReduce, SumsOverTheNamedMeshAxes) {
  EXPECT_THAT(on_parts("x/d/t", "y/d", 8, [](Value x) { return all_reduce(x, {"t"}); }),
              ElementsAre(6, 22));
  EXPECT_THAT(on_parts("x/d/t", "y/t", 8, [](Value x) { return all_reduce(x, {"d"}); }),
              ElementsAre(4, 6, 8, 10));
  EXPECT_THAT(on_parts("x/d/t", "y", 8,
                       [](Value x) {
                         return all_reduce(x, {"t", "d"});
                       }),
              ElementsAre(28));
}

TEST(AllReduce, TakesTheLargestAndTheSmallest) {
  EXPECT_THAT(
      on_parts("x/d/t", "y/d", 8, [](Value x) { return all_reduce(x, {"t"}, Reduction::max); }),
      ElementsAre(3, 7));
  EXPECT_THAT(
      on_parts("x/d/t", "y/d", 8, [](Value x) { return all_reduce(x, {"t"}, Reduction::min); }),
      ElementsAre(0, 4));
}

TEST(AllGather, JoinsThePartsInTheOrderOfTheMeshAxes) {
  auto gather = [](const MeshAxes& axes) {
    return [axes](Value x) { return all_gather_replicated(x, 0, axes); };
  };
  EXPECT_THAT(on_parts("x/d/t", "y", 8, gather({"d", "t"})), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(on_parts("x/t/d", "y", 8, gather({"t", "d"})), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(on_parts("x/d/t", "y", 8, gather({"t", "d"})), ElementsAre(0, 4, 1, 5, 2, 6, 3, 7));
  EXPECT_THAT(on_parts("x/d/t", "y/d", 8, gather({"t"})), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(AllGather, OfTheVaryingKindLeavesAsParts) {
  EXPECT_THAT(on_parts("x/t", "y/t", 4, [](Value x) { return all_gather(x, 0, {"t"}); }),
              ElementsAre(0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3));
}

TEST(ReduceScatter, LeavesEveryDeviceItsPartOfTheSum) {
  // Shards of two elements: [0 1] [2 3] [4 5] [6 7] along t add up to [12 16].
  EXPECT_THAT(on_parts("x/d", "y/d", 8, [](Value x) { return reduce_scatter(x, 0, {"d"}); }),
              ElementsAre(4, 6, 8, 10));
  EXPECT_THAT(on_parts("x/t/d", "y/t/d", 16, [](Value x) { return reduce_scatter(x, 0, {"d"}); }),
              ElementsAre(2, 4, 10, 12, 18, 20, 26, 28));
}

TEST(AllToAll, TransposesPartsAndDevices) {
  // Device i has row i of a 4x4 array and receives column i.
  auto transpose_rows = [](Value x) {
    return reshape(all_to_all(reshape(x, {1, 4}), 1, 0, {"t"}), {4});
  };
  EXPECT_THAT(on_parts("x/t", "y/t", 16, transpose_rows),
              ElementsAre(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
}

TEST(Permute, SendsAlongPairsAndFillsWithZeros) {
  EXPECT_THAT(on_parts("x/t", "x/t", 4,
                       [](Value x) {
                         return permute(x, {"t"}, {{0, 2}, {3, 0}});
                       }),
              ElementsAre(3, 0, 0, 0));
}

TEST(RingShift, GoesAroundTheEnd) {
  EXPECT_THAT(on_parts("x/t", "x/t", 4, [](Value x) { return ring_shift(x, {"t"}); }),
              ElementsAre(3, 0, 1, 2));
  EXPECT_THAT(on_parts("x/d/t", "x/d/t", 8, [](Value x) { return ring_shift(x, {"t"}, -1); }),
              ElementsAre(1, 2, 3, 0, 5, 6, 7, 4));
  EXPECT_THAT(on_parts("x/d/t", "x/d/t", 8,
                       [](Value x) {
                         return ring_shift(x, {"d", "t"});
                       }),
              ElementsAre(7, 0, 1, 2, 3, 4, 5, 6));
}

TEST(Manual, TakesValuesOfItsSurroundingsWhole) {
  auto program = [](std::span<const Value> args) {
    Value total = reduce_sum(args[0], {0});
    return manual({{args[0], "x/d/t"}}, {"x/d/t"}, [&](std::span<const Value> parts) {
      return std::vector<Value>{parts[0] + total};
    });
  };
  Outcome outcome = run_on(kMesh, {{counting_array({8}), {}}}, program);
  EXPECT_THAT(floats(outcome.results[0]), ElementsAre(28, 29, 30, 31, 32, 33, 34, 35));
}

TEST(Manual, LeavesOtherMeshAxesToThePartitioner) {
  auto program = [](std::span<const Value> args) {
    return manual({{args[0], "rows/d columns"}}, {"columns"},
                  [](std::span<const Value> parts) {
                    Value mine = reduce_sum(parts[0] * parts[0], {0});
                    return std::vector<Value>{all_reduce(mine, {"d"})};
                  },
                  {.axes = {"d"}});
  };
  Outcome outcome = run_on(kMesh, {{counting_array({4, 4}), {{{"d"}, {"t"}}}}}, program);
  EXPECT_THAT(floats(outcome.results[0]), ElementsAre(224, 276, 336, 404));
}

TEST(Manual, NestsOverDifferentMeshAxes) {
  auto program = [](std::span<const Value> args) {
    auto inner = [](std::span<const Value> parts) {
      Value both = parts[0] + cast(axis_index({"t"}), f32);
      return std::vector<Value>{all_reduce(both, {"t"})};
    };
    auto outer = [&](std::span<const Value> parts) {
      std::vector<Value> sum =
          manual({parts[0]}, {.in = {{{{"t"}}}}, .out = {{}}}, inner, {.axes = {"t"}});
      return std::vector<Value>{sum[0] + cast(axis_index({"d"}), f32)};
    };
    return manual({args[0]}, {.in = {{{{"d"}}}}, .out = {{{{"d"}}}}}, outer, {.axes = {"d"}});
  };
  Outcome outcome = run_on(kMesh, {{counting_array({8}), {}}}, program);
  EXPECT_THAT(floats(outcome.results[0]), ElementsAre(12, 29));
}

TEST(Manual, WorksOnAMeshOfOneDevice) {
  Mesh one({{"d", 1}, {"t", 1}});
  auto body = [](Value x) {
    return all_reduce(all_gather(x, 0, {"d"}), {"d"}) + ring_shift(x, {"t"});
  };
  EXPECT_THAT(on_parts(
                  "x/d/t", "x/t", 2, [&](Value x) { return all_reduce(body(x), {"d"}); }, one),
              ElementsAre(0, 2));
}

}  // namespace
}  // namespace meshwright::spmd
