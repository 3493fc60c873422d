// SPDX-License-Identifier: Apache-2.0
// Unusable plugin files: each causes a device error with one line of cause and one of remedy.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"
#include "meshwright/base/temporary_folder_testutil.h"
#include "meshwright/runtime/client.h"
#include "meshwright/runtime/diagnosis.h"
#include "meshwright/runtime/topology.h"

namespace meshwright::runtime {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class PluginFiles : public ::testing::Test {
 protected:
  /// Returns a copy of the fake plugin, modified by `change`.
  std::string changed_plugin(const std::string& name, auto change) {
    std::ifstream in(FAKE_OLD_PLUGIN, std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(in), {});
    change(bytes);
    std::string path = folder / name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  const TemporaryFolder temporary;
  const std::filesystem::path folder = temporary.path();
};

void expect_refused(const std::string& path, const std::string& cause) {
  const Error error =
      thrown_by([&] { open({.platform = "cpu", .num_devices = 2, .plugin_path = path}); });
  EXPECT_EQ(error.code(), ErrorCode::device);
  std::string message = error.message();
  EXPECT_THAT(message, HasSubstr(path));
  EXPECT_THAT(message, HasSubstr(cause));
  EXPECT_THAT(message, HasSubstr("\nfetch the pinned plugin: tools/fetch_xla\n"
                                 "or select another: ClientOptions::plugin_path"));
}

TEST_F(PluginFiles, Missing) {
  expect_refused(folder / "none.so", "does not exist");
}

TEST_F(PluginFiles, Folder) {
  expect_refused(folder, "is not a file");
}

TEST_F(PluginFiles, Empty) {
  expect_refused(changed_plugin("empty.so", [](std::string& bytes) { bytes.clear(); }),
                 "is not a shared library");
}

TEST_F(PluginFiles, TextInstead) {
  expect_refused(changed_plugin("text.so", [](std::string& bytes) { bytes.assign(4096, 'x'); }),
                 "is not a shared library");
}

TEST_F(PluginFiles, Truncated) {
  expect_refused(
      changed_plugin("short.so", [](std::string& bytes) { bytes.resize(bytes.size() / 2); }),
      "is truncated: ");
}

TEST_F(PluginFiles, OneByteTooShort) {
  expect_refused(changed_plugin("byte.so", [](std::string& bytes) { bytes.pop_back(); }),
                 "is truncated: ");
}

TEST_F(PluginFiles, OfAnotherMachine) {
  constexpr std::size_t kMachineAt = 18;  // e_machine in an ELF header
  expect_refused(
      changed_plugin("other.so", [](std::string& bytes) { bytes[kMachineAt] = char(0xf3); }),
      "is built for machine type 243, but this machine is ");
}

TEST_F(PluginFiles, LibraryThatIsNoPlugin) {
  expect_refused(NO_PLUGIN, "not a PJRT plugin: it has no GetPjrtApi");
}

TEST_F(PluginFiles, TooOld) {
  expect_refused(FAKE_OLD_PLUGIN, "has API 0.30, but 0.54 or a newer 0.x is required");
}

TEST_F(PluginFiles, OfAnotherMajorVersion) {
  expect_refused(FAKE_NEW_PLUGIN, "has API 1.0, but 0.54 or a newer 0.x is required");
}

TEST_F(PluginFiles, ThatFindsNoDevices) {
  for (const char* platform : {"cuda", "tpu"}) {
    std::string message =
        message_of([&] { open({.platform = platform, .plugin_path = FAKE_GPU_PLUGIN}); });
    EXPECT_THAT(message, StartsWith("opening the devices: no GPU was found\ncheck that "));
    EXPECT_THAT(message, EndsWith("or use the CPU: mesh.platform = \"cpu\" in a config"));
    EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 1) << message;
  }
}

// As on the CPU: reported before XLA ends the process without a message.
TEST_F(PluginFiles, FlagsThatAnotherPlatformDoesNotKnow) {
  setenv("XLA_FLAGS", "--xla_gpu_foo=1", 1);
  ClientOptions options{.platform = "cuda", .plugin_path = FAKE_GPU_PLUGIN, .cache_folder = {}};
  EXPECT_THAT(message_of([&] { open(options); }),
              StartsWith("XLA rejects XLA_FLAGS: Unknown flag in XLA_FLAGS: --xla_gpu_foo\nfix"));
  EXPECT_THROW(diagnose(options), Error);
  setenv("XLA_FLAGS", "--xla_gpu_known=1", 1);
  EXPECT_THAT(message_of([&] { open(options); }), StartsWith("opening the devices: no GPU"));
  unsetenv("XLA_FLAGS");
}

// No client is created, so the flags are read only when something is compiled.
TEST_F(PluginFiles, FlagsThatAreNotKnownWhereNoClientIs) {
  const TopologyOptions options{.platform = "cuda", .name = "two", .plugin_path = FAKE_GPU_PLUGIN};
  setenv("XLA_FLAGS", "--xla_gpu_foo=1", 1);
  EXPECT_THAT(message_of([&] { Topology topology(options); }),
              StartsWith("XLA rejects XLA_FLAGS: Unknown flag in XLA_FLAGS: --xla_gpu_foo\nfix"));
  setenv("XLA_FLAGS", "--xla_gpu_known=1", 1);
  EXPECT_EQ(Topology(options).num_devices(), 2);
  unsetenv("XLA_FLAGS");
}

TEST_F(PluginFiles, TheDoctorNamesEveryFault) {
  Diagnosis diagnosis =
      diagnose({.platform = "cpu", .plugin_path = FAKE_GPU_PLUGIN, .cache_folder = folder});
  EXPECT_FALSE(diagnosis.is_usable());
  ASSERT_EQ(diagnosis.problems.size(), 2u);
  EXPECT_THAT(diagnosis.problems[0].cause,
              EndsWith("no FFI extension, so Meshwright's kernels cannot run"));
  EXPECT_THAT(diagnosis.problems[0].remedy, HasSubstr("tools/fetch_xla"));
  EXPECT_EQ(diagnosis.problems[1].cause, "opening the devices: no GPU was found");
  EXPECT_THAT(diagnosis.problems[1].remedy, StartsWith("request fewer devices"));
}

TEST_F(PluginFiles, UnknownPlatform) {
  const Error error = thrown_by([&] { open({.platform = "gpu"}); });
  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  EXPECT_EQ(error.message(), "unknown platform 'gpu'\nuse cpu, cuda or tpu");
}

}  // namespace
}  // namespace meshwright::runtime
