// SPDX-License-Identifier: Apache-2.0
// Kernels called by programs on 1 and 8 devices: they finish, fail cleanly and may complete later.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"
#include "meshwright/graph/ops/custom_call.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/pjrt/kernel.h"
#include "meshwright/pjrt/kernel_call.h"
#include "meshwright/pjrt/kernel_clock.h"
#include "meshwright/runtime/client.h"
#include "meshwright/runtime/runtime_testutil.h"

namespace meshwright::runtime {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

/// y = x * factor, in 16 slow chunks.
struct Scale {
  static constexpr std::string_view kName = "mw_test_scale";
  static constexpr int kAbiVersion = 1;
  static void run(pjrt::KernelCall& call) {
    auto x = call.input(0).values<float>();
    auto y = call.output(0).values<float>();
    auto factor = call.attr<float>("factor");
    const std::size_t chunk_size = x.size() / 16;
    call.parallel_for(16, [&](std::int64_t chunk) {
      for (std::size_t i = 0; i < chunk_size; ++i) {
        std::size_t at = static_cast<std::size_t>(chunk) * chunk_size + i;
        y[at] = x[at] * factor;
      }
    });
  }
};

/// y = x, but fails on the device in the attribute.
struct FailOnDevice {
  static constexpr std::string_view kName = "mw_test_fail";
  static constexpr int kAbiVersion = 1;
  static void run(pjrt::KernelCall& call) {
    if (call.device() == call.attr<std::int64_t>("device"))
      fail(ErrorCode::numerics, "the cause of it all");
    std::ranges::copy(call.input(0).values<float>(), call.output(0).values<float>().begin());
  }
};

/// y = x on every device once all 8 have arrived, like a collective.
struct Rendezvous {
  static constexpr std::string_view kName = "mw_test_rendezvous";
  static constexpr int kAbiVersion = 1;
  static void run(pjrt::KernelCall& call) {
    std::ranges::copy(call.input(0).values<float>(), call.output(0).values<float>().begin());
    static std::mutex mutex;
    static std::map<std::pair<std::int64_t, std::int64_t>, std::vector<pjrt::Completion>> waiting;
    std::vector<pjrt::Completion> all;
    {
      std::lock_guard lock(mutex);
      auto key = std::pair(call.run_id(), call.attr<std::int64_t>("id"));
      waiting[key].push_back(call.defer());
      if (waiting[key].size() < 8) return;
      all = std::move(waiting.extract(key).mapped());
    }
    for (pjrt::Completion& completion : all)
      completion.done();
  }
};

/// Drops its completion without a reason.
struct Forgetful {
  static constexpr std::string_view kName = "mw_test_forgetful";
  static constexpr int kAbiVersion = 1;
  static void run(pjrt::KernelCall& call) { call.defer(); }
};

/// y = x; also stores the last element.
struct Peek {
  static constexpr std::string_view kName = "mw_test_peek";
  static constexpr int kAbiVersion = 1;
  static inline std::atomic<float> seen;
  static void run(pjrt::KernelCall& call) {
    auto x = call.input(0).values<float>();
    std::ranges::copy(x, call.output(0).values<float>().begin());
    seen = x.back();
  }
};

/// Reports its arguments as an error message.
struct Describe {
  static constexpr std::string_view kName = "mw_test_describe";
  static constexpr int kAbiVersion = 1;
  static void run(pjrt::KernelCall& call) {
    auto sizes = call.attr<std::span<const std::int64_t>>("sizes");
    fail(ErrorCode::internal, call.num_inputs(), " in, ", call.num_outputs(), " out, ",
         call.input(1).dtype, Dims(call.input(1).dims.begin(), call.input(1).dims.end()), " ",
         call.attr<std::int64_t>("count"), " ", call.attr<double>("ratio"), " ",
         call.attr<bool>("flag"), " ", call.attr<std::string_view>("name"), " ",
         Dims(sizes.begin(), sizes.end()), " ", call.attr<std::span<const double>>("weights"));
  }
};

/// y = -x, as the kernel of an op.
struct Negate {
  static constexpr std::string_view kName = "mw_test_negate";
  static constexpr int kAbiVersion = 1;
  static void run(pjrt::KernelCall& call) {
    std::ranges::transform(call.input(0).values<float>(), call.output(0).values<float>().begin(),
                           std::negate());
  }
};
constexpr pjrt::Kernel kNegate = pjrt::kernel<Negate>();
const graph::OpDef kNegateOp{
    .name = "test_negate",
    .infer = [](const graph::Node& node) { return std::vector{node.in(0)}; },
    .write =
        [](graph::Writer& writer, const graph::Node& node) {
          graph::write_custom_call(writer, node, {.target = Negate::kName, .attributes = {}});
        },
    .vjp = graph::kNoGradient,
    .handler = &kNegate};

const Client& client() {
  static const Client* with_kernels = [] {
    const Client& client = test_client();
    client.add_kernel(pjrt::kernel<Scale>());
    client.add_kernel(pjrt::kernel<FailOnDevice>());
    client.add_kernel(pjrt::kernel<Rendezvous>());
    client.add_kernel(pjrt::kernel<Forgetful>());
    client.add_kernel(pjrt::kernel<Describe>());
    client.add_kernel(pjrt::kernel<Peek>());
    return &client;
  }();
  return *with_kernels;
}

constexpr int kLength = 1024;

/// Compiles a program in which `body` computes %y from %x, both tensor<1024xf32>, on each of
/// `num_devices` devices.
Executable compile_manual(const std::string& body, int num_devices) {
  std::string module =
      str("module @m attributes {mhlo.num_partitions = ", num_devices,
          " : i32} {\n  sdy.mesh @mesh = <[\"d\"=", num_devices, "]>\n  func.func public @main(",
          "%arg: tensor<", kLength * num_devices,
          "xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"d\"}]>}) -> (tensor<",
          kLength * num_devices, "xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"d\"}]>}) {\n",
          "    %r = sdy.manual_computation(%arg) in_shardings=[<@mesh, [{\"d\"}]>] ",
          "out_shardings=[<@mesh, [{\"d\"}]>] manual_axes={\"d\"} (%x: tensor<1024xf32>) {\n", body,
          "      sdy.return %y : tensor<1024xf32>\n    } : (tensor<", kLength * num_devices,
          "xf32>) -> tensor<", kLength * num_devices, "xf32>\n    return %r : tensor<",
          kLength * num_devices, "xf32>\n  }\n}\n");
  return client().compile_text(module, {.num_partitions = num_devices});
}

std::string call(std::string_view result,
                 std::string_view kernel,
                 std::string_view operand,
                 std::string_view config) {
  return str("      ", result, " = stablehlo.custom_call @", kernel, "(", operand,
             ") {api_version = 4 : i32, backend_config = {", config,
             "}} : (tensor<1024xf32>) -> tensor<1024xf32>\n");
}

/// Returns 16 independent calls and their sum.
std::string sixteen(std::string_view kernel, auto config) {
  std::string body;
  for (int i = 0; i < 16; ++i)
    body += call(str("%c", i), kernel, "%x", config(i));
  std::string sum = "%c0";
  for (int i = 1; i < 16; ++i) {
    std::string next = i == 15 ? "%y" : str("%s", i);
    body += str("      ", next, " = stablehlo.add ", sum, ", %c", i, " : tensor<1024xf32>\n");
    sum = next;
  }
  return body;
}

std::vector<std::vector<HostTensor>> ones(int num_devices) {
  HostTensor one = HostTensor::from(std::vector<float>(kLength, 1.0f), {kLength});
  return std::vector<std::vector<HostTensor>>(static_cast<std::size_t>(num_devices), {one});
}

TEST(Kernel, SixteenIndependentCallsFinishAThousandTimes) {
  for (int num_devices : {1, 8}) {
    auto program = compile_manual(
        sixteen(Scale::kName, [](int i) { return str("factor = ", i, ".0 : f32"); }), num_devices);
    for (int i = 0; i < 1000; ++i) {
      auto results = run_shards(program, ones(num_devices));
      ASSERT_THAT(results.back()[0].values<float>(), Each(120)) << i;
    }
  }
}

TEST(Kernel, AClockCountsTheCallsOfItsTime) {
  auto program = compile_manual(
      sixteen(Scale::kName, [](int i) { return str("factor = ", i, ".0 : f32"); }), 8);
  run_shards(program, ones(8));
  const pjrt::KernelClock clock;
  EXPECT_TRUE(clock.times().empty());
  run_shards(program, ones(8));
  ASSERT_EQ(clock.times().size(), 1u);
  const pjrt::KernelTime time = clock.times()[0];
  EXPECT_EQ(time.kernel, Scale::kName);
  EXPECT_THAT(time.inputs, testing::ElementsAre(ArrayType{f32, {kLength}}));
  EXPECT_EQ(time.calls, 16 * 8);
  EXPECT_GT(time.seconds, 0);
  EXPECT_THAT(message_of([] { pjrt::KernelClock another; }), HasSubstr("only one KernelClock"));
}

TEST(Kernel, FailureOnOneDeviceOfACollectiveEndsWithItsCause) {
  auto program = compile_manual(call("%a", FailOnDevice::kName, "%x", "device = 3 : i64") + R"(
      %y = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
          replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
        ^bb0(%l: tensor<f32>, %r0: tensor<f32>):
          %s = stablehlo.add %l, %r0 : tensor<f32>
          stablehlo.return %s : tensor<f32>
      }) : (tensor<1024xf32>) -> tensor<1024xf32>
)",
                                8);
  EXPECT_EQ(coded_message_of([&] { run_shards(program, ones(8)); }),
            "device error: kernel mw_test_fail on device 3: the cause of it all");
  // Raised once: the next execution has its own error.
  EXPECT_THAT(coded_message_of([&] { run_shards(program, ones(8)); }),
              HasSubstr("the cause of it all"));
}

TEST(Kernel, FailureIsThatOfItsClientOnly) {
  auto failing = compile_manual(call("%y", FailOnDevice::kName, "%x", "device = 0 : i64"), 1);
  Client other = open({.num_devices = 1, .cache_folder = {}});
  other.add_kernel(pjrt::kernel<FailOnDevice>());
  graph::Program program = graph::trace({{f32, {4}}}, [](auto args) {
    return graph::custom_call(
        "mw_test_fail", {args[0]},
        {.results = {{f32, {4}}}, .attributes = {{"device", std::int64_t{0}}}});
  });
  Executable failing_too = other.compile(program);
  std::vector<DeviceArray> late = failing_too({other.put(HostTensor(ArrayType{f32, {4}}))});
  Executable fine = test_client().compile(
      graph::trace({{f32, {4}}}, [](auto args) { return std::vector<graph::Value>{args[0]}; }));
  EXPECT_NO_THROW(run(fine, {HostTensor(ArrayType{f32, {4}})}));
  EXPECT_THAT(message_of([&] { run_shards(failing, ones(1)); }), HasSubstr("the cause of it all"));
  EXPECT_THAT(message_of([&] { late[0].wait(); }), HasSubstr("the cause of it all"));
  EXPECT_NO_THROW(failing_too.wait());
}

TEST(Kernel, FailureFillsItsResultsWithNaN) {
  auto program = compile_manual(
      call("%a", FailOnDevice::kName, "%x", "device = 0 : i64") + call("%y", Peek::kName, "%a", ""),
      1);
  Peek::seen = 0;
  EXPECT_THAT(coded_message_of([&] { run_shards(program, ones(1)); }), HasSubstr("on device 0"));
  EXPECT_TRUE(std::isnan(Peek::seen));
}

TEST(Kernel, MayWaitForOtherDevicesByDeferring) {
  auto program = compile_manual(
      sixteen(Rendezvous::kName, [](int i) { return str("id = ", i, " : i64"); }), 8);
  for (int i = 0; i < 50; ++i)
    ASSERT_THAT(run_shards(program, ones(8)).back()[0].values<float>(), Each(16)) << i;
}

TEST(Kernel, ThatForgetsToEndIsAnError) {
  auto program = compile_manual(call("%y", Forgetful::kName, "%x", ""), 1);
  EXPECT_EQ(coded_message_of([&] { run_shards(program, ones(1)); }),
            "device error: kernel mw_test_forgetful on device 0: it completed without a result");
}

TEST(Kernel, SeesItsArgumentsAndAttributes) {
  client();
  graph::Program program = graph::trace({{f32, {2}}, {s64, {3, 4}}}, [](auto args) {
    return graph::custom_call("mw_test_describe", {args[0], args[1]},
                              {.results = {{bf16, {2}}},
                               .attributes = {{"count", 7},
                                              {"ratio", 0.5f},
                                              {"flag", true},
                                              {"name", "hello"},
                                              {"sizes", Dims{3, 5}},
                                              {"weights", std::vector<double>{0.25, 4}}}});
  });
  EXPECT_THAT(coded_message_of([&] {
                run(client().compile(program),
                    {HostTensor(ArrayType{f32, {2}}), HostTensor(ArrayType{s64, {3, 4}})});
              }),
              HasSubstr("2 in, 1 out, s64[3,4] 7 0.5 true hello [3,5] [0.25,4]"));
}

TEST(Kernel, OfAnOpNeedsNoRegistration) {
  graph::Program program = graph::trace({{f32, {4}}}, [](auto args) {
    return std::vector<graph::Value>{graph::emit(kNegateOp, {args[0]}, SourceLoc::current())};
  });
  auto results = run(test_client().compile(program), {HostTensor::from<float>({1, 2, 3, 4}, {4})});
  EXPECT_THAT(results[0].values<float>(), testing::ElementsAre(-1, -2, -3, -4));
}

// For ThreadSanitizer: threads of the host and of kernels touch the same memory in an order that
// only the plugin knows.
TEST(Kernel, ReadsAndWritesMemoryThatTheHostSees) {
  const mesh::Mesh mesh({{"data", 8}});
  graph::Tracer tracer({.mesh = mesh});
  graph::Value x = tracer.argument({f32, {4}});
  graph::Value once = graph::emit(kNegateOp, {x}, SourceLoc::current());
  graph::Value twice = graph::emit(kNegateOp, {once}, SourceLoc::current());
  Executable program = test_client().compile(tracer.finish({once, twice}));
  for (float i = 0; i < 20; ++i) {
    HostTensor value = HostTensor::from<float>({i, i, i, i}, {4});
    auto results = program({test_client().put(value, mesh, {}, HostMemoryUse::share)});
    EXPECT_THAT(results[0].view_shard(7).values<float>(), Each(-i));
    EXPECT_THAT(results[1].view_shard(7).values<float>(), Each(i));
  }
}

TEST(Kernel, NamesAMissingAttribute) {
  auto program = compile_manual(call("%y", Scale::kName, "%x", "wrong = 1.0 : f32"), 1);
  EXPECT_THAT(coded_message_of([&] { run_shards(program, ones(1)); }),
              HasSubstr("kernel mw_test_scale on device 0: no attribute 'factor'"));
}

TEST(Kernel, RefusesAnotherKernelOfTheSameName) {
  client();
  pjrt::Kernel other = pjrt::kernel<Scale>();
  other.entry = pjrt::kernel<Describe>().entry;
  EXPECT_THAT(coded_message_of([&] { client().add_kernel(other); }),
              HasSubstr("two kernels are named mw_test_scale"));
}

}  // namespace
}  // namespace meshwright::runtime
