// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/plugin_choice.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"
#include "meshwright/runtime/plugin_environment.h"
#include "meshwright/runtime/xla_flags.h"

namespace meshwright::runtime {
namespace {

using ::testing::HasSubstr;

class PluginChoice : public ::testing::Test {
 protected:
  void SetUp() override {
    unsetenv("MESHWRIGHT_PLUGIN_PATH");
    unsetenv("PJRT_NAMES_AND_LIBRARY_PATHS");
  }
};

TEST_F(PluginChoice, TakesTheOptionFirstThenTheVariablesInOrder) {
  setenv("PJRT_NAMES_AND_LIBRARY_PATHS", "tpu:/t.so,cpu:/c.so", 1);
  EXPECT_EQ(plugin_path("cpu", ""), "/c.so");
  EXPECT_EQ(plugin_path("tpu", ""), "/t.so");
  setenv("MESHWRIGHT_PLUGIN_PATH", "/env.so", 1);
  EXPECT_EQ(plugin_path("cpu", ""), "/env.so");
  EXPECT_EQ(plugin_path("cpu", "/option.so"), "/option.so");
}

TEST_F(PluginChoice, RefusesAListThatIsNotNameAndPath) {
  // Even if the relevant entry precedes the malformed one.
  for (const char* wrong : {"/c.so", "cpu:", ":/c.so", "cpu:/c.so,tpu", "cpu:/c.so,,tpu:/t.so"}) {
    setenv("PJRT_NAMES_AND_LIBRARY_PATHS", wrong, 1);
    std::string message;
    try {
      plugin_path("cpu", "");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      message = error.message();
    }
    EXPECT_THAT(message, HasSubstr("' is not NAME:PATH\nwrite it as ")) << wrong;
  }
}

TEST_F(PluginChoice, CompilesWithAPluginThatCannotRun) {
  setenv("PJRT_NAMES_AND_LIBRARY_PATHS", "cuda:/c.so", 1);
  EXPECT_EQ(compiler_path("cuda", ""), "/c.so");
  unsetenv("PJRT_NAMES_AND_LIBRARY_PATHS");
  const std::string found =
      message_of([] { throw Error(ErrorCode::device, compiler_path("cuda", "")); });
  EXPECT_THAT(found,
              testing::AnyOf(HasSubstr("/cuda/plugin.so"), HasSubstr("/cuda-compiler/plugin.so")));
}

TEST_F(PluginChoice, LooksBesideTheProgramAndInTheSourceTreeButNotInTheWorkingFolder) {
  auto places = plugin_places("cpu", "/opt/mw/bin/meshwright");
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0], "/opt/mw/share/meshwright/xla/cpu/plugin.so");
  EXPECT_THAT(places[1].string(), ::testing::EndsWith("/.cache/xla/cpu/plugin.so"));
  EXPECT_TRUE(places[1].is_absolute());
}

class PluginEnvironment : public ::testing::Test {
 protected:
  void TearDown() override {
    unsetenv("XLA_FLAGS");
    unsetenv("TF_CPP_MIN_LOG_LEVEL");
  }
};

TEST_F(PluginEnvironment, KeepsWhatTheUserSet) {
  setenv("XLA_FLAGS", "--xla_cpu_collective_timeout_seconds=5 --other", 1);
  setenv("TF_CPP_MIN_LOG_LEVEL", "0", 1);
  prepare_plugin_environment("cpu");
  EXPECT_STREQ(std::getenv("TF_CPP_MIN_LOG_LEVEL"), "0");
  EXPECT_STREQ(std::getenv("XLA_FLAGS"),
               "--xla_cpu_collective_timeout_seconds=5 --other "
               "--xla_cpu_collective_call_terminate_timeout_seconds=86400");
}

TEST_F(PluginEnvironment, LeavesXlaFlagsAloneElsewhere) {
  unsetenv("XLA_FLAGS");
  prepare_plugin_environment("tpu");
  EXPECT_EQ(std::getenv("XLA_FLAGS"), nullptr);
  EXPECT_STREQ(std::getenv("TF_CPP_MIN_LOG_LEVEL"), "2");
  setenv("XLA_FLAGS", "--mine=1", 1);
  prepare_plugin_environment("cuda");
  EXPECT_STREQ(std::getenv("XLA_FLAGS"), "--mine=1");
}

TEST_F(PluginEnvironment, TellsWhatTheUserSetFromWhatItAdds) {
  unsetenv("XLA_FLAGS");
  prepare_plugin_environment("cpu");
  EXPECT_EQ(xla_flags_of_user(), "");
  setenv("XLA_FLAGS", "--mine=1", 1);
  prepare_plugin_environment("cpu");
  EXPECT_THAT(xla_flags_of_user(), ::testing::StartsWith("--mine=1"));
}

// XLA treats a value that does not begin with a dash as the name of a file with flags.
TEST_F(PluginEnvironment, PutsTheContentOfAFileInItsPlace) {
  std::string file = str(::testing::TempDir(), "mw_flags_", getpid());
  std::ofstream(file) << "--mine=1\n";
  setenv("XLA_FLAGS", file.c_str(), 1);
  prepare_plugin_environment("tpu");
  EXPECT_STREQ(std::getenv("XLA_FLAGS"), "--mine=1\n");
  setenv("XLA_FLAGS", file.c_str(), 1);
  prepare_plugin_environment("cpu");
  EXPECT_THAT(std::getenv("XLA_FLAGS"),
              ::testing::StartsWith("--mine=1\n --xla_cpu_collective_call_terminate"));
  std::filesystem::remove(file);
  setenv("XLA_FLAGS", file.c_str(), 1);
  const Error error = thrown_by([&] { prepare_plugin_environment("cpu"); });
  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(error.message(), HasSubstr(file + " cannot be read\nfix or unset XLA_FLAGS"));
}

TEST(XlaFlagsComplaint, IsTheSentenceWithoutPrefixes) {
  EXPECT_EQ(
      xla_flags_complaint("I0000 made\nF0000 1 2 parse_flags_from_env.cc:234] Unknown flag in "
                          "XLA_FLAGS: --foo\n"),
      "Unknown flag in XLA_FLAGS: --foo");
  EXPECT_EQ(
      xla_flags_complaint("E0000 x.cc:93] Couldn't interpret value maybe for flag a.\nF0000 b"),
      "Couldn't interpret value maybe for flag a.");
  EXPECT_EQ(xla_flags_complaint("I0000 cpu_device_count set via create_options: 1\n"), "");
}

}  // namespace
}  // namespace meshwright::runtime
