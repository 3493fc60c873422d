// SPDX-License-Identifier: Apache-2.0
// A kernel fails on one device while the others wait for it in a collective. The process ends with
// the exit code of device errors and reports the cause, and does not abort.
#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

#include "meshwright/base/check.h"
#include "meshwright/cli/dispatch.h"
#include "meshwright/graph/ops/collectives.h"
#include "meshwright/graph/ops/custom_call.h"
#include "meshwright/graph/ops/manual.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/pjrt/kernel.h"
#include "meshwright/pjrt/kernel_call.h"
#include "meshwright/runtime/client.h"

namespace meshwright {
namespace {

using graph::Value;

struct FailOnDevice3 {
  static constexpr std::string_view kName = "mw_test_fail_on_device_3";
  static constexpr int kAbiVersion = 1;
  static void run(pjrt::KernelCall& call) {
    if (call.device() == 3) fail(ErrorCode::numerics, "the cause of it all");
    std::ranges::copy(call.input(0).values<float>(), call.output(0).values<float>().begin());
  }
};

struct NoArgs {
  void declare(cli::ArgumentParser& /*parser*/) {}
};

int run_step(const NoArgs& /*args*/) {
  runtime::Client client = runtime::open({.num_devices = 8, .cache_folder = {}});
  client.add_kernel(pjrt::kernel<FailOnDevice3>());
  auto body = [](std::span<const Value> parts) {
    Value y = graph::custom_call("mw_test_fail_on_device_3", {parts[0]},
                                 {.results = {parts[0].type()}})[0];
    return std::vector<Value>{graph::all_reduce(y, {"data"})};
  };
  graph::Program step = graph::trace({{f32, {64}}},
                                     [&](std::span<const Value> args) {
                                       return graph::manual({{args[0], "x/data"}}, {"y"}, body);
                                     },
                                     {.mesh = mesh::Mesh({{"data", 8}})});
  runtime::run(client.compile(step), {HostTensor(ArrayType{f32, {64}})});
  return 0;
}

TEST(KernelFailureDeathTest, EndsTheProcessWithItsCause) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const cli::Command step{.name = "step", .summary = "fails", .body = [](const std::string& name) {
                            return cli::make_command<NoArgs>(name, run_step);
                          }};
  const cli::CommandGroup program{"fails", std::span(&step, 1)};
  EXPECT_EXIT(std::exit(cli::dispatch({"step"}, program)), testing::ExitedWithCode(6),
              "kernel mw_test_fail_on_device_3 on device 3: the cause of it all");
}

}  // namespace
}  // namespace meshwright
