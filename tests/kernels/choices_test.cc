// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/log.h"
#include "meshwright/base/verbosity.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/kernels/norm/norm.h"
#include "meshwright/runtime/runtime_testutil.h"

namespace meshwright::kernels {
namespace {

using graph::Value;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

graph::Program normalize() {
  return graph::trace({{f32, {4, 8}}, {f32, {8}}}, [](std::span<const Value> in) {
    return std::vector{norm(in[0], in[1], {})};
  });
}

TEST(KernelChoices, AreKnownOfACompiledProgram) {
  auto choices = [](bool use_kernels) {
    const runtime::Executable compiled =
        runtime::test_client().compile(normalize(), {.use_kernels = use_kernels});
    return describe(compiled.signature().kernel_choices);
  };
  EXPECT_THAT(choices(true), ElementsAre("norm: kernel, 1 call: one device"));
  EXPECT_THAT(choices(false), ElementsAre("norm: formula, 1 call: kernels are disabled"));
}

TEST(KernelChoices, AreLoggedAtVerbosity1) {
  std::vector<std::string> lines;
  const ScopedLogHandler handler(
      [&](Severity, std::string_view message) { lines.emplace_back(message); });
  runtime::test_client().compile(normalize());
  EXPECT_THAT(lines, Not(Contains(HasSubstr("norm: kernel"))));
  const ScopedVerbosity verbose(1);
  runtime::test_client().compile(normalize());
  EXPECT_THAT(lines, Contains(HasSubstr("norm: kernel, 1 call: one device")));
}

}  // namespace
}  // namespace meshwright::kernels
