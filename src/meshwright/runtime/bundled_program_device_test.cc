// SPDX-License-Identifier: Apache-2.0
// Programs that are loaded from a bundle instead of compiled.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/temporary_folder_testutil.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/runtime/client.h"
#include "meshwright/runtime/program_bundle.h"

namespace meshwright::runtime {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Returns x + `added` of an array sharded over 2 devices.
graph::Program plus(float added) {
  const mesh::Sharding split{{{"data"}}};
  graph::Tracer tracer({.mesh = mesh::Mesh({{"data", 2}})});
  graph::Value x = tracer.argument({f32, {16}}, {.name = "x", .sharding = split});
  return tracer.finish({x + added}, {{.name = "y", .sharding = split}});
}

class BundledProgram : public ::testing::Test {
 protected:
  // Without a cache, every program that is not in the bundle is compiled.
  static ClientOptions options(int num_devices, std::string bundle = {}) {
    return {.num_devices = num_devices, .cache_folder = {}, .bundle = std::move(bundle)};
  }
  void write(const ProgramBundle& bundle) {
    std::filesystem::remove(path);
    write_bundle(path, bundle);
  }
  ProgramBundle compiled(int num_devices = 2) {
    const Client compiler = open(options(num_devices));
    const AheadOfTimeProgram program = compiler.compile_ahead(plus(1));
    return {.topology = {},
            .target = compiler.target(),
            .config = {},
            .programs = {{"plus one", program.key, program.serialized}}};
  }

  TemporaryFolder folder;
  const std::string path = folder.path() / "p.bundle";
};

TEST_F(BundledProgram, IsLoadedByAnotherClient) {
  write(compiled());
  const Client client = open(options(2, path));
  EXPECT_TRUE(client.is_bundled(plus(1)));
  EXPECT_FALSE(client.is_bundled(plus(2)));
  const Executable one = client.compile(plus(1)), two = client.compile(plus(2));
  EXPECT_TRUE(one.is_from_cache());
  EXPECT_FALSE(two.is_from_cache());
  EXPECT_THAT(run(one, {HostTensor(ArrayType{f32, {16}})})[0].values<float>(), Each(1));
  EXPECT_THAT(run(two, {HostTensor(ArrayType{f32, {16}})})[0].values<float>(), Each(2));
}

TEST_F(BundledProgram, RunsOnMachinesWithMoreDevicesButNotWithFewer) {
  write(compiled());
  EXPECT_TRUE(open(options(3, path)).is_bundled(plus(1)));
  EXPECT_THAT(
      coded_message_of([&] { (void)open(options(1, path)); }),
      AllOf(StartsWith("device error: "), HasSubstr("devices: compiled for 2, here are 1")));
}

TEST_F(BundledProgram, IsRefusedByNameElsewhere) {
  ProgramBundle bundle = compiled();
  bundle.target.plugin_digest = "0123";
  write(bundle);
  EXPECT_THAT(coded_message_of([&] { (void)open(options(2, path)); }),
              AllOf(StartsWith("device error: "), HasSubstr("(digest 0123), here ")));
  bundle.target.platform = "tpu";
  write(bundle);
  EXPECT_THAT(
      coded_message_of([&] { (void)open(options(2, path)); }),
      AllOf(StartsWith("device error: "), HasSubstr("platform: compiled for tpu, here cpu")));
}

TEST_F(BundledProgram, IsNotReplacedByACompilationIfThePluginRejectsIt) {
  ProgramBundle bundle = compiled();
  bundle.programs[0].executable = "not a program";
  write(bundle);
  const Client client = open(options(2, path));
  EXPECT_THAT(coded_message_of([&] { (void)client.compile(plus(1)); }),
              AllOf(StartsWith("device error: "),
                    HasSubstr("the plugin cannot load the program 'plus one'")));
}

}  // namespace
}  // namespace meshwright::runtime
