// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/runtime/client.h"
#include "meshwright/runtime/executable.h"
#include "meshwright/runtime/plugin_choice.h"
#include "meshwright/runtime/runtime_testutil.h"

namespace meshwright::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kAdd = R"(
module @add {
  func.func public @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = stablehlo.add %a, %b : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
})";

constexpr const char* kSumOverDevices = R"(
module @sum attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=8]>
  func.func public @main(%x: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>})
      -> (tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
})";

TEST(Executable, ComputesOnOneDevice) {
  Executable add = test_client().compile_text(kAdd);
  auto a = HostTensor::from<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  auto b = HostTensor::from<float>({10, 20, 30, 40, 50, 60}, {2, 3});
  auto results = run_shards(add, {{a, b}});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0][0].type(), (ArrayType{f32, {2, 3}}));
  EXPECT_THAT(results[0][0].to_doubles(), ElementsAre(11, 22, 33, 44, 55, 66));
}

TEST(Executable, PartitionsByShardyOverEightDevices) {
  Executable sum = test_client().compile_text(kSumOverDevices, {.num_partitions = 8});
  EXPECT_EQ(sum.num_devices(), 8);
  EXPECT_THAT(sum.optimized_program(), HasSubstr("all-reduce"));
  std::vector<std::vector<HostTensor>> shards;
  for (float first = 0; first < 16; first += 2)
    shards.push_back({HostTensor::from<float>({first, first + 1}, {2})});
  auto results = run_shards(sum, shards);
  ASSERT_EQ(results.size(), 8u);
  for (const auto& device : results)
    EXPECT_THAT(device[0].to_doubles(), ElementsAre(120));
}

TEST(Executable, RunsOnTheDevicesOfItsAssignment) {
  pjrt::CompileOptions options{.device_ids = {5}};
  Executable add = test_client().compile_text(kAdd, options);
  auto a = HostTensor::from<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_THAT(run_shards(add, {{a, a}})[0][0].to_doubles(), ElementsAre(2, 4, 6, 8, 10, 12));
}

TEST(Executable, RejectsAProgramThatDoesNotParse) {
  EXPECT_THAT(coded_message_of([] { test_client().compile_text("module { func.func }"); }),
              HasSubstr("device error: compiling a program: "));
}

TEST(Executable, RejectsAnUnknownDebugOption) {
  pjrt::CompileOptions options;
  options.debug_options["xla_no_such_option"] = true;
  EXPECT_THAT(coded_message_of([&] { test_client().compile_text(kAdd, options); }),
              HasSubstr("xla_no_such_option"));
}

TEST(Executable, AcceptsDebugOptionsOfEveryKind) {
  pjrt::CompileOptions options;
  options.debug_options["xla_cpu_enable_fast_math"] = true;
  options.debug_options["xla_cpu_prefer_vector_width"] = std::int64_t{256};
  options.debug_options["xla_cpu_max_isa"] = std::string("AVX2");
  EXPECT_NO_THROW(test_client().compile_text(kAdd, options));
}

TEST(Executable, RejectsMoreDevicesThanThereAre) {
  EXPECT_THAT(
      coded_message_of([] { test_client().compile_text(kSumOverDevices, {.num_partitions = 16}); }),
      HasSubstr("needs 16 devices (1 replicas x 16 partitions), but cpu has 8"));
}

TEST(Executable, TellsTheMemoryItNeeds) {
  auto memory = test_client().compile_text(kAdd).memory();
  ASSERT_TRUE(memory.has_value());
  EXPECT_EQ(memory->argument_bytes, 2 * 6 * 4);
  EXPECT_EQ(memory->output_bytes, 6 * 4);
}

TEST(Client, RefusesAPluginOfAnotherPlatform) {
  test_client();
  std::string path = plugin_path("cpu", "");
  EXPECT_THAT(coded_message_of([&] { open({.platform = "cuda", .plugin_path = path}); }),
              HasSubstr(" is for cpu, not for cuda\n"));
}

}  // namespace
}  // namespace meshwright::runtime
