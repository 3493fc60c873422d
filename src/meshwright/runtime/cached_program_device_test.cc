// SPDX-License-Identifier: Apache-2.0
// Programs that are loaded from the cache instead of compiled.
#include <cstdlib>
#include <filesystem>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/log.h"
#include "meshwright/base/temporary_folder_testutil.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/pjrt/kernel_call.h"
#include "meshwright/runtime/client.h"
#include "meshwright/runtime/compile_async.h"

namespace meshwright::runtime {
namespace {

namespace fs = std::filesystem;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Double {
  static constexpr std::string_view kName = "mw_test_double";
  static constexpr int kAbiVersion = 1;
  static void run(pjrt::KernelCall& call) {
    auto x = call.input(0).values<float>();
    auto y = call.output(0).values<float>();
    for (std::size_t i = 0; i < x.size(); ++i)
      y[i] = 2 * x[i];
  }
};

class CachedProgram : public ::testing::Test {
 protected:
  // All tests share a folder, since it caches the digest of the plugin, which takes a second.
  static void SetUpTestSuite() {
    temporary.emplace();
    folder = temporary->path();
    client = open({.num_devices = 8, .cache_folder = folder});
  }
  static void TearDownTestSuite() {
    client.reset();
    temporary.reset();
  }
  void SetUp() override { fs::remove_all(folder / "executables"); }

  std::vector<fs::path> files() const {
    std::vector<fs::path> out;
    for (const auto& entry : fs::directory_iterator(folder / "executables"))
      out.push_back(entry.path());
    return out;
  }

  static inline std::optional<TemporaryFolder> temporary;
  static inline fs::path folder;
  static inline std::optional<Client> client;
  std::vector<std::string> warnings;
  ScopedLogHandler handler{
      [this](Severity, std::string_view text) { warnings.emplace_back(text); }};
};

/// Returns x + 1 of an array sharded over 8 devices.
graph::Program plus_one(SourceLoc loc = SourceLoc::current()) {
  const mesh::Sharding split{{{"data"}}};
  graph::Tracer tracer({.mesh = mesh::Mesh({{"data", 8}})});
  graph::Value x = tracer.argument({f32, {16}}, {.name = "x", .sharding = split});
  graph::Value y = graph::Operand(x, loc) + 1.0f;
  return tracer.finish({y}, {{.name = "y", .sharding = split}});
}

constexpr const char* kDouble = R"(
module @m {
  func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = stablehlo.custom_call @mw_test_double(%x) {api_version = 4 : i32} : (tensor<4xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
})";

TEST_F(CachedProgram, ComputesTheSame) {
  EXPECT_FALSE(client->compile(plus_one()).is_from_cache());
  Executable again = client->compile(plus_one());
  EXPECT_TRUE(again.is_from_cache());
  EXPECT_THAT(run(again, {HostTensor(ArrayType{f32, {16}})})[0].values<float>(), Each(1));
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(CachedProgram, DonatesItsArguments) {
  auto donating = [] {
    graph::Tracer tracer;
    graph::Value x = tracer.argument({f32, {1024}}, {.name = "x", .donated_to = 0});
    return tracer.finish({x + 1.0f});
  };
  client->compile(donating());
  Executable step = client->compile(donating());
  ASSERT_TRUE(step.is_from_cache());
  DeviceArray x = client->put(HostTensor(ArrayType{f32, {1024}}));
  std::uintptr_t address = x.address(0);
  EXPECT_EQ(step({x})[0].address(0), address);
  EXPECT_FALSE(x.is_alive());
}

TEST_F(CachedProgram, IsCompiledWhileOtherWorkGoesOn) {
  std::vector<Background<Executable>> compiling;
  for (int line = 1; line <= 3; ++line)
    compiling.push_back(compile_async(*client, plus_one({"one.cc", line})));
  HostTensor zeros(ArrayType{f32, {16}});
  EXPECT_THAT(run(client->compile(plus_one()), {zeros})[0].values<float>(), Each(1));
  for (const Background<Executable>& program : compiling)
    EXPECT_THAT(run(program.get(), {zeros})[0].values<float>(), Each(1));
  EXPECT_EQ(files().size(), 1u);
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(CachedProgram, ThatCannotBeCompiledSaysSoWhenAskedFor) {
  CompileOptions options;
  options.debug_options["xla_no_such_option"] = true;
  const Background<Executable> program = compile_async(*client, plus_one(), options);
  EXPECT_THAT(message_of([&] { program.get(); }), HasSubstr("xla_no_such_option"));
}

TEST_F(CachedProgram, DoesNotDependOnWhereItWasTraced) {
  client->compile(plus_one({"one.cc", 1}));
  EXPECT_TRUE(client->compile(plus_one({"two.cc", 2})).is_from_cache());
}

TEST_F(CachedProgram, DependsOnItsOptions) {
  client->compile(plus_one());
  CompileOptions options;
  options.debug_options["xla_cpu_enable_fast_math"] = true;
  EXPECT_FALSE(client->compile(plus_one(), options).is_from_cache());
  EXPECT_FALSE(
      client->compile(plus_one(), {.device_ids = {7, 6, 5, 4, 3, 2, 1, 0}}).is_from_cache());
}

TEST_F(CachedProgram, DependsOnTheFlagsOfTheEnvironment) {
  client->compile(plus_one());
  for (const char* name : {"XLA_FLAGS", "LIBTPU_INIT_ARGS"}) {
    const char* set = std::getenv(name);
    const std::string before = set == nullptr ? "" : set;
    setenv(name, (before + " --more").c_str(), 1);
    EXPECT_FALSE(client->compile(plus_one()).is_from_cache()) << name;
    set == nullptr ? unsetenv(name) : setenv(name, before.c_str(), 1);
    EXPECT_TRUE(client->compile(plus_one()).is_from_cache()) << name;
  }
}

TEST_F(CachedProgram, ThatIsDamagedIsCompiledAgainAndReplaced) {
  client->compile(plus_one());
  ASSERT_EQ(files().size(), 1u);
  fs::resize_file(files()[0], 1000);
  EXPECT_FALSE(client->compile(plus_one()).is_from_cache());
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("is unusable: has 976 bytes, expected ")));
  EXPECT_TRUE(client->compile(plus_one()).is_from_cache());
  EXPECT_EQ(warnings.size(), 1u);
}

TEST_F(CachedProgram, ThatThePluginRefusesIsCompiledAgainAndReplaced) {
  client->compile(plus_one());
  CompileCache(folder).store(files()[0].filename(), "not what a plugin wrote");
  EXPECT_FALSE(client->compile(plus_one()).is_from_cache());
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("loading a compiled program")));
  EXPECT_TRUE(client->compile(plus_one()).is_from_cache());
}

TEST_F(CachedProgram, MayCallKernels) {
  client->add_kernel(pjrt::kernel<Double>());
  HostTensor x = HostTensor::from<float>({1, 2, 3, 4}, {4});
  client->compile_text(kDouble);
  Executable again = client->compile_text(kDouble);
  EXPECT_TRUE(again.is_from_cache());
  EXPECT_THAT(run_shards(again, {{x}})[0][0].values<float>(), ElementsAre(2, 4, 6, 8));
}

TEST_F(CachedProgram, IsFoundByAnotherClient) {
  client->compile(plus_one());
  Client other = open({.num_devices = 8, .cache_folder = folder});
  EXPECT_TRUE(other.compile(plus_one()).is_from_cache());
}

}  // namespace
}  // namespace meshwright::runtime
