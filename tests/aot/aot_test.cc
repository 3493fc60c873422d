// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aot_testutil.h"
#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"
#include "meshwright/graph/ops/einsum.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/runtime/topology.h"

namespace meshwright::runtime {
namespace {

using ::testing::Gt;
using ::testing::HasSubstr;

/// A step of two matrix products over data and tensor axes; the weights are donated.
graph::Program step(const mesh::Mesh& mesh) {
  graph::Tracer tracer({.mesh = mesh});
  graph::Value x =
      tracer.argument({bf16, {512, 1024}}, {.name = "x", .sharding = mesh::Sharding{{{"data"}}}});
  graph::Value w =
      tracer.argument({bf16, {1024, 4096}},
                      {.name = "w", .sharding = mesh::Sharding{{{}, {"tensor"}}}, .donated_to = 1});
  graph::Value h = graph::tanh(graph::einsum("batch embed, embed mlp -> batch mlp", x, w));
  graph::Value y = graph::einsum("batch mlp, embed mlp -> batch embed", h, w);
  graph::Value next = w + graph::einsum("batch embed, batch mlp -> embed mlp", y, h) * 0.01f;
  return tracer.finish({y, next}, {{.name = "y", .sharding = mesh::Sharding{{{"data"}}}},
                                   {.name = "w", .sharding = mesh::Sharding{{{}, {"tensor"}}}}});
}

TEST(AheadOfTime, CompilesForATpuPod) {
  if (!is_fetched("tpu")) GTEST_SKIP() << "no TPU plugin; tools/fetch_xla tpu";
  Topology pod({.platform = "tpu", .name = "v5p:4x4x4"});
  EXPECT_EQ(pod.num_devices(), 64);
  AheadOfTimeProgram program = pod.compile(step(mesh::Mesh({{"data", 16}, {"tensor", 4}})));
  EXPECT_THAT(program.serialized.size(), Gt(1000u));
  ASSERT_TRUE(program.memory.has_value());
  // Bytes of x and w on one chip.
  EXPECT_EQ(program.memory->argument_bytes, 2 * (512 / 16 * 1024 + 1024 * 4096 / 4));
  EXPECT_EQ(program.memory->alias_bytes, 2 * 1024 * 4096 / 4);
  // Three products of 2 * 512 * 1024 * 4096 operations, on 64 chips.
  EXPECT_THAT(program.costs["flops"], Gt(3 * 2.0 * 512 * 1024 * 4096 / 64));
}

// An H200 as in its data sheet: compute capability 9.0, 132 multiprocessors, 4.8 TB/s, 141 GB.
constexpr const char* kH200 = R"(
platform_name: "CUDA"
device_description_str: "NVIDIA H200"
gpu_device_info {
  cuda_compute_capability { major: 9 minor: 0 }
  core_count: 132
  fpus_per_core: 128
  threads_per_warp: 32
  threads_per_block_limit: 1024
  threads_per_core_limit: 2048
  block_dim_limit_x: 2147483647
  block_dim_limit_y: 65535
  block_dim_limit_z: 65535
  registers_per_core_limit: 65536
  registers_per_block_limit: 65536
  shared_memory_per_block: 49152
  shared_memory_per_block_optin: 232448
  shared_memory_per_core: 233472
  l2_cache_size: 52428800
  clock_rate_ghz: 1.98
  memory_bandwidth: 4800000000000
  device_memory_size: 141000000000
}
dnn_version_info { major: 9 minor: 10 }
)";

TEST(AheadOfTime, CompilesForAGpuCluster) {
  if (!is_fetched("cuda")) GTEST_SKIP() << "no CUDA plugin; tools/fetch_xla cuda-compiler";
  Topology cluster({.platform = "cuda",
                    .name = "two hosts",
                    .options = {{"topology", "1x2x8"}, {"target_config", kH200}}});
  EXPECT_EQ(cluster.num_devices(), 16);
  AheadOfTimeProgram program = cluster.compile(step(mesh::Mesh({{"data", 4}, {"tensor", 4}})));
  EXPECT_THAT(program.serialized.size(), Gt(1000u));
  ASSERT_TRUE(program.memory.has_value());
  EXPECT_EQ(program.memory->argument_bytes, 2 * (512 / 4 * 1024 + 1024 * 4096 / 4));
}

TEST(AheadOfTime, RefusesAMeshOfAnotherSize) {
  if (!is_fetched("tpu")) GTEST_SKIP() << "no TPU plugin; tools/fetch_xla tpu";
  Topology pod({.platform = "tpu", .name = "v5p:2x2x1"});
  const Error error = thrown_by([&] {
    pod.compile(step(mesh::Mesh({{"data", 16}, {"tensor", 4}})));
  });
  EXPECT_THAT(error.message(),
              HasSubstr("data=16,tensor=4 has 64 devices, but the topology has 4 of kind TPU v5"));
}

TEST(AheadOfTime, NamesATopologyThatThePluginDoesNotKnow) {
  if (!is_fetched("tpu")) GTEST_SKIP() << "no TPU plugin; tools/fetch_xla tpu";
  const Error error = thrown_by([&] { Topology unknown({.platform = "tpu", .name = "v99:1x1"}); });
  EXPECT_EQ(error.code(), ErrorCode::device);
  EXPECT_THAT(error.message(), HasSubstr("describing the topology 'v99:1x1': "));
}

}  // namespace
}  // namespace meshwright::runtime
