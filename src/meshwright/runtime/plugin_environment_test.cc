// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/plugin_environment.h"

#include <cstdlib>
#include <fstream>
#include <vector>

#include <gtest/gtest.h>

#include "meshwright/runtime/scoped_variable_testutil.h"

namespace meshwright::runtime {
namespace {

const std::vector<std::string> kFlags = {"--a=1", "--b=1"};

TEST(XlaFlags, FlagsOfTheVariableComeLast) {
  const ScopedVariable flags("XLA_FLAGS", "--b=2");
  add_xla_flags({});
  EXPECT_EQ(xla_flags_of_user(), "--b=2");
  add_xla_flags(kFlags);
  EXPECT_STREQ(std::getenv("XLA_FLAGS"), "--a=1 --b=1 --b=2");
}

TEST(XlaFlags, WhatIsOfOursIsNotOfTheUser) {
  const ScopedVariable flags("XLA_FLAGS", nullptr);
  const ScopedVariable level("TF_CPP_MIN_LOG_LEVEL", nullptr);
  add_xla_flags(kFlags);
  prepare_plugin_environment("cpu");
  EXPECT_NE(std::string(std::getenv("XLA_FLAGS")), "--a=1 --b=1");
  EXPECT_EQ(xla_flags_of_user(), "--a=1 --b=1");
}

TEST(XlaFlags, AFileOfFlagsIsReadBeforeSomeAreAdded) {
  const std::string path = testing::TempDir() + "/xla_flags";
  std::ofstream(path) << "--c=3\n";
  const ScopedVariable flags("XLA_FLAGS", path.c_str());
  add_xla_flags(kFlags);
  EXPECT_EQ(xla_flags_of_user(), "--a=1 --b=1 --c=3");
}

TEST(XlaFlags, NamesTheVariablesOfPlugins) {
  const ScopedVariable nccl("NCCL_PROTO", "Simple");
  const ScopedVariable tpu("LIBTPU_INIT_ARGS", "--xla_tpu_x=1");
  const std::string found = plugin_variables();
  EXPECT_NE(found.find("LIBTPU_INIT_ARGS=--xla_tpu_x=1"), found.npos) << found;
  EXPECT_LT(found.find("LIBTPU"), found.find("NCCL_PROTO=Simple")) << found;
}

}  // namespace
}  // namespace meshwright::runtime
