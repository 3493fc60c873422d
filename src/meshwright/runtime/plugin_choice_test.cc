// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/plugin_choice.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/error.h"
#include "meshwright/runtime/plugin_environment.h"

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
  setenv("PJRT_NAMES_AND_LIBRARY_PATHS", "/c.so", 1);
  try {
    plugin_path("cpu", "");
    FAIL() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_THAT(error.message(), HasSubstr("'/c.so' is not NAME:PATH"));
  }
}

TEST(PluginEnvironment, KeepsWhatTheUserSet) {
  setenv("XLA_FLAGS", "--xla_cpu_collective_timeout_seconds=5 --other", 1);
  setenv("TF_CPP_MIN_LOG_LEVEL", "0", 1);
  prepare_plugin_environment("cpu");
  EXPECT_STREQ(std::getenv("TF_CPP_MIN_LOG_LEVEL"), "0");
  EXPECT_STREQ(std::getenv("XLA_FLAGS"),
               "--xla_cpu_collective_timeout_seconds=5 --other "
               "--xla_cpu_collective_call_terminate_timeout_seconds=86400");
  unsetenv("XLA_FLAGS");
  unsetenv("TF_CPP_MIN_LOG_LEVEL");
}

TEST(PluginEnvironment, LeavesXlaFlagsAloneElsewhere) {
  unsetenv("XLA_FLAGS");
  prepare_plugin_environment("tpu");
  EXPECT_EQ(std::getenv("XLA_FLAGS"), nullptr);
  EXPECT_STREQ(std::getenv("TF_CPP_MIN_LOG_LEVEL"), "2");
}

}  // namespace
}  // namespace meshwright::runtime
