// SPDX-License-Identifier: Apache-2.0
// Donation, run-ahead and errors of repeated executions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/graph/ops/dot.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/runtime/client.h"
#include "meshwright/runtime/runtime_testutil.h"

namespace meshwright::runtime {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

const mesh::Mesh kData({{"data", 8}});
const mesh::Sharding kSplit{{{"data"}}};

/// Adds 1 to each of `num_arrays` arrays f32[4096], donated or not.
Executable increment(std::size_t num_arrays, bool donate, const mesh::Mesh& mesh) {
  graph::Tracer tracer({.mesh = mesh});
  std::vector<graph::Value> results;
  std::vector<graph::ResultInfo> infos;
  mesh::Sharding sharding = mesh.axes().empty() ? mesh::Sharding{} : kSplit;
  for (std::size_t i = 0; i < num_arrays; ++i) {
    graph::ArgumentInfo info{.name = str("x", i), .sharding = sharding};
    if (donate) info.donated_to = static_cast<int>(i);
    results.push_back(tracer.argument({f32, {4096}}, info) + 1.0f);
    infos.push_back({.name = str("y", i), .sharding = sharding});
  }
  return test_client().compile(tracer.finish(results, infos));
}

/// A long computation on one device. The additions matter: the plugin runs programs inline that it
/// considers cheap, and it does not count sines.
Executable slow_step() {
  graph::Tracer tracer;
  graph::Value x = tracer.argument({f32, {1 << 18}}, {.name = "x"});
  for (int i = 0; i < 100; ++i)
    x = graph::sin(x) * 0.5f + 0.1f;
  return test_client().compile(tracer.finish({x}));
}

TEST(Donation, KeepsTheAddressesOverSteps) {
  for (const mesh::Mesh& mesh : {mesh::Mesh(), kData}) {
    Executable step = increment(3, true, mesh);
    std::vector<DeviceArray> state;
    for (std::size_t i = 0; i < 3; ++i)
      state.push_back(step.put_argument(i, HostTensor(ArrayType{f32, {4096}})));
    auto addresses = [&] {
      std::vector<std::uintptr_t> out;
      for (const DeviceArray& array : state)
        for (std::size_t device = 0; device < array.layout().num_devices(); ++device)
          out.push_back(array.address(device));
      return out;
    };
    auto before = addresses();
    for (int i = 0; i < 10; ++i)
      state = step(std::move(state));
    EXPECT_EQ(addresses(), before) << to_string(mesh);
    EXPECT_THAT(state[2].to_host().values<float>(), Each(10));
  }
}

TEST(Donation, EndsEveryHandleToTheArgument) {
  Executable step = increment(1, true, {});
  DeviceArray x = step.put_argument(0, HostTensor(ArrayType{f32, {4096}}));
  DeviceArray other = x;
  auto results = step({x});
  EXPECT_FALSE(x.is_alive());
  EXPECT_FALSE(other.is_alive());
  EXPECT_TRUE(results[0].is_alive());
  EXPECT_THAT(coded_message_of([&] { other.to_host(); }),
              HasSubstr("f32[4096] as [] on one device was donated to an execution"));
  EXPECT_THAT(coded_message_of([&] { step({x}); }), HasSubstr("invalid argument: execute: "));
}

TEST(Donation, LeavesOtherArgumentsAlone) {
  Executable step = increment(1, false, {});
  DeviceArray x = step.put_argument(0, HostTensor(ArrayType{f32, {4096}}));
  step({x});
  EXPECT_THAT(step({x})[0].to_host().values<float>(), Each(1));
  EXPECT_TRUE(x.is_alive());
}

// As in a training step, the parameter has another reader besides its update.
TEST(Donation, CopiesNoParameterThatIsReadTwice) {
  graph::Tracer tracer;
  auto square = [&](const char* name, std::optional<int> donated_to) {
    return tracer.argument({f32, {64, 64}}, {.name = name, .donated_to = donated_to});
  };
  graph::Value w = square("w", 0), x = square("x", {});
  graph::Value y = dot_general(x, w, {{}, {}, {1}, {0}});
  graph::Value dx = dot_general(y, w, {{}, {}, {1}, {1}});
  graph::Value dw = dot_general(x, y, {{}, {}, {0}, {0}});
  EXPECT_EQ(count_ops(test_client().compile(tracer.finish({w - dw, dx})), "copy"), 0);
}

TEST(RunAhead, IsBounded) {
  Executable step = slow_step();
  std::vector<DeviceArray> results = {step.put_argument(0, HostTensor(ArrayType{f32, {1 << 18}}))};
  for (std::size_t i = 0; i < 8; ++i) {
    results.push_back(step({results.back()})[0]);
    if (i < kMaxInFlight) continue;
    EXPECT_TRUE(results[results.size() - 1 - kMaxInFlight].is_ready()) << i;
  }
  step.wait();
  EXPECT_TRUE(results.back().is_ready());
}

TEST(RunAhead, KeepsMuchMemoryOnlyOnce) {
  constexpr std::int64_t kRows = 4096;  // of a square of 64 MiB
  graph::Tracer tracer;
  graph::Value x = tracer.argument({f32, {kRows, 64}}, {.name = "x"});
  graph::Value square = dot_general(x, x, {{}, {}, {1}, {1}});
  Executable step =
      test_client().compile(tracer.finish({dot_general(square, x, {{}, {}, {1}, {0}})}));
  ASSERT_GE(step.memory()->temp_bytes, kRows * kRows * 4);
  DeviceArray in = step.put_argument(0, HostTensor(ArrayType{f32, {kRows, 64}}));
  DeviceArray first = step({in})[0], second = step({in})[0];
  EXPECT_TRUE(first.is_ready());
}

TEST(RunAhead, StartsAStepBeforeTheLastIsDone) {
  Executable step = slow_step();
  DeviceArray x = step.put_argument(0, HostTensor(ArrayType{f32, {1 << 18}}));
  DeviceArray y = step({step({x})[0]})[0];
  EXPECT_FALSE(y.is_ready());
}

}  // namespace
}  // namespace meshwright::runtime
