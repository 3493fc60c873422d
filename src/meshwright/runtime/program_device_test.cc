// SPDX-License-Identifier: Apache-2.0
// Traced programs, compiled and run.
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

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

const mesh::Mesh kMesh({{"data", 2}, {"tensor", 4}});

HostTensor iota(Dims dims) {
  std::vector<float> values(static_cast<std::size_t>(num_elements(dims)));
  std::iota(values.begin(), values.end(), 0.0f);
  return HostTensor::from(values, std::move(dims));
}

/// Returns x * 2 + 1 of a [4,8] array with these shardings.
graph::Program scale_program(std::optional<mesh::Sharding> in, std::optional<mesh::Sharding> out) {
  graph::Tracer tracer({.mesh = kMesh});
  graph::Value x = tracer.argument({f32, {4, 8}}, {.name = "x", .sharding = std::move(in)});
  return tracer.finish({x * 2.0f + 1.0f}, {{.name = "y", .sharding = std::move(out)}});
}

std::vector<float> scaled() {
  std::vector<float> out(32);
  for (std::size_t i = 0; i < 32; ++i)
    out[i] = static_cast<float>(2 * i + 1);
  return out;
}

TEST(Program, RunsWithWholeArraysWhateverTheSharding) {
  const std::vector<std::optional<mesh::Sharding>> shardings = {
      std::nullopt,
      mesh::Sharding{{{"data"}}},
      mesh::Sharding{{{}, {"tensor"}}},
      mesh::Sharding{{{"tensor"}, {"data"}}},
      mesh::Sharding{{{}, {"tensor", "data"}}},
  };
  for (const auto& in : shardings) {
    for (const auto& out : shardings) {
      Executable program = test_client().compile(scale_program(in, out));
      auto results = run(program, {iota({4, 8})});
      EXPECT_THAT(results.at(0).values<float>(), ElementsAreArray(scaled()));
    }
  }
}

TEST(Program, PutsAShardOnEachDevice) {
  Executable program =
      test_client().compile(scale_program(mesh::Sharding{{{"data"}, {"tensor"}}}, std::nullopt));
  DeviceArray x = program.put_argument(0, iota({4, 8}));
  // Device 5 is data=1, tensor=1.
  EXPECT_THAT(x.shard_to_host(5).values<float>(), ElementsAre(18, 19, 26, 27));
  EXPECT_THAT(x.to_host().values<float>(), ElementsAreArray(iota({4, 8}).values<float>()));
}

TEST(Program, NamesAnArgumentThatDoesNotFit) {
  Executable program = test_client().compile(scale_program(std::nullopt, std::nullopt));
  const Error error = thrown_by([&] { run(program, {iota({8, 4})}); });
  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(error.message(), HasSubstr("argument 0 (x) is f32[4,8], got f32[8,4]"));
}

}  // namespace
}  // namespace meshwright::runtime
