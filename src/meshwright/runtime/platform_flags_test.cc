// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/platform_flags.h"

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"
#include "meshwright/base/log_testutil.h"
#include "meshwright/runtime/scoped_variable_testutil.h"

namespace meshwright::runtime {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Key;
using testing::Not;

constexpr const char* kLimit = "xla_gpu_experimental_parallel_collective_overlap_limit";

std::map<std::string, pjrt::CompileOptions::DebugValue> flags_with(
    const std::string& platform, const pjrt::CompileOptions& options = {}) {
  pjrt::CompileOptions out;
  with_platform_flags(platform, options, [&](const pjrt::CompileOptions& all) { out = all; });
  return out.debug_options;
}

TEST(PlatformFlags, AreThoseOfThePlatform) {
  const ScopedVariable flags("XLA_FLAGS", nullptr);
  EXPECT_THAT(flags_with("cuda"), Contains(Key(kLimit)));
  EXPECT_THAT(flags_with("cpu"), Not(Contains(Key(kLimit))));
  EXPECT_THAT(flags_with("cpu"), Contains(Key("xla_cpu_enable_fast_min_max")));
  for (const PlatformFlag& flag : platform_flags())
    EXPECT_THAT(to_string(flag), HasSubstr(std::string(flag.name) + "="));
}

TEST(PlatformFlags, OfTheUserWin) {
  const std::string flag = std::string("--") + kLimit;
  for (const std::string& text : {flag + "=1", "--a=2 " + flag + "=1 --b", flag}) {
    const ScopedVariable flags("XLA_FLAGS", text.c_str());
    EXPECT_THAT(flags_with("cuda"), Not(Contains(Key(kLimit)))) << text;
  }
  for (const std::string& text : {flag + "s=1", std::string("--a=") + kLimit}) {
    const ScopedVariable flags("XLA_FLAGS", text.c_str());
    EXPECT_THAT(flags_with("cuda"), Contains(Key(kLimit))) << text;
  }
  const ScopedVariable flags("XLA_FLAGS", nullptr);
  const auto kept = flags_with("cuda", {.debug_options = {{kLimit, std::int64_t{2}}}});
  EXPECT_EQ(std::get<std::int64_t>(kept.at(kLimit)), 2);
}

TEST(PlatformFlags, ThatThePluginRejectsAreLeftOut) {
  const ScopedVariable flags("XLA_FLAGS", nullptr);
  const CapturedLog log;
  std::vector<std::size_t> sizes;
  with_platform_flags("cuda", {}, [&](const pjrt::CompileOptions& options) {
    sizes.push_back(options.debug_options.size());
    if (options.debug_options.contains(kLimit))
      fail(ErrorCode::invalid_argument, "No such compile option: '", kLimit, "'");
  });
  ASSERT_EQ(sizes.size(), 2);
  EXPECT_EQ(sizes[1], sizes[0] - 1);
  EXPECT_THAT(log.text(), HasSubstr(kLimit));
}

TEST(PlatformFlags, OtherErrorsAreThrown) {
  const auto compile = [](const pjrt::CompileOptions&) { fail(ErrorCode::device, "no memory"); };
  EXPECT_EQ(thrown_by([&] { with_platform_flags("cuda", {}, compile); }).message(), "no memory");
}

}  // namespace
}  // namespace meshwright::runtime
