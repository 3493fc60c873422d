// SPDX-License-Identifier: Apache-2.0
// Memory use stays constant over thousands of transfers and executions.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/runtime/client.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "resident_memory.h"

namespace meshwright::runtime {
namespace {

constexpr std::int64_t kNumElements = std::int64_t{1} << 16;  // 256 KiB in f32

// Takes the state and a batch on 8 devices; returns the new state in place of the old, and a loss
// that needs a collective.
graph::Program step_program() {
  const mesh::Sharding split{{{"data"}}};
  graph::Tracer tracer({.mesh = mesh::Mesh({{"data", 8}})});
  graph::Value state =
      tracer.argument({f32, {kNumElements}}, {.name = "state", .sharding = split, .donated_to = 0});
  graph::Value batch = tracer.argument({f32, {kNumElements}}, {.name = "batch", .sharding = split});
  graph::Value next = state * 0.5f + batch;
  return tracer.finish({next, graph::reduce_sum(next, {0})},
                       {{.name = "state", .sharding = split}, {.name = "loss"}});
}

TEST(Soak, StepsWithTransfersKeepTheMemoryFlat) {
  Executable step = test_client().compile(step_program());
  HostTensor ones(ArrayType{f32, {kNumElements}});
  std::ranges::fill(ones.mutable_values<float>(), 1.0f);
  DeviceArray state = step.put_argument(0, ones);
  auto run_steps = [&](int num_steps) {
    for (int i = 0; i < num_steps; ++i) {
      std::vector<DeviceArray> results = step({state, step.put_argument(1, ones)});
      state = results[0];
      if (i % 10 == 0) results[1].to_host();
    }
    step.wait();
    return resident_mib();
  };
  double settled = run_steps(1000);
  double after = run_steps(10000);
  // One leaked array per step would be 2500 MiB.
  EXPECT_LT(after - settled, 16) << "of " << settled << " MiB";
  EXPECT_THAT(state.to_host().values<float>(), testing::Each(2));
}

TEST(Soak, ExecutablesThatComeAndGoKeepTheMemoryFlat) {
  auto compile_some = [&](int num_programs) {
    for (int i = 0; i < num_programs; ++i) {
      Executable step = test_client().compile(step_program());
      HostTensor zeros(ArrayType{f32, {kNumElements}});
      step({step.put_argument(0, zeros), step.put_argument(1, zeros)})[1].to_host();
    }
    return resident_mib();
  };
  double settled = compile_some(50);
  double after = compile_some(200);
  EXPECT_LT(after - settled, 40) << "of " << settled
                                 << " MiB: memory that the plugin keeps for a program";
}

}  // namespace
}  // namespace meshwright::runtime
