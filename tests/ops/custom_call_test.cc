// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/custom_call.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/autodiff/grad.h"
#include "meshwright/base/base_testutil.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/pjrt/kernel.h"
#include "meshwright/pjrt/kernel_call.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "ops_testutil.h"

namespace meshwright::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// First result: x, with row i multiplied by weights[i] and `scale`, plus `offset` if `shift`.
/// Second result: the number of characters in `text`.
struct WeightRows {
  static constexpr std::string_view kName = "mw_test_weight_rows";
  static constexpr int kAbiVersion = 1;
  static void run(pjrt::KernelCall& call) {
    auto x = call.input(0);
    auto weights = call.attr<std::span<const std::int64_t>>("weights");
    double offset = call.attr<bool>("shift") ? static_cast<double>(call.attr<float>("offset")) : 0;
    auto columns = static_cast<std::size_t>(x.dims[1]);
    for (std::size_t i = 0; i < static_cast<std::size_t>(x.num_elements()); ++i) {
      call.output(0).values<float>()[i] =
          static_cast<float>(x.values<float>()[i] * static_cast<double>(weights[i / columns]) *
                                 call.attr<double>("scale") +
                             offset);
    }
    call.output(1).values<std::int32_t>()[0] =
        static_cast<std::int32_t>(call.attr<std::string_view>("text").size());
  }
};

std::vector<Value> weight_rows(Value x) {
  return custom_call("mw_test_weight_rows", {x},
                     {.results = {x.type().array(), {s32, {}}},
                      .attributes = {{"weights", Dims{1, -2, 3}},
                                     {"scale", 0.5},
                                     {"shift", true},
                                     {"offset", 100.0f},
                                     {"text", "four"}}});
}

const HostTensor kX = HostTensor::from<float>({1, 2, 3, 4, 5, 6}, {3, 2});

TEST(CustomCallOnDevice, PassesArraysAndAttributes) {
  runtime::test_client().add_kernel(pjrt::kernel<WeightRows>());
  auto results = evaluate([](std::span<const Value> args) { return weight_rows(args[0]); }, {kX});
  EXPECT_THAT(results[0].to_doubles(), ElementsAre(100.5, 101, 97, 96, 107.5, 109));
  EXPECT_THAT(results[1].to_doubles(), ElementsAre(4));
}

TEST(CustomCallOnDevice, GetsRowMajorArraysAfterATranspose) {
  runtime::test_client().add_kernel(pjrt::kernel<WeightRows>());
  HostTensor transposed = HostTensor::from<float>({1, 3, 5, 2, 4, 6}, {2, 3});
  auto results = evaluate(
      [](std::span<const Value> args) {
        Value y = weight_rows(transpose(args[0], {1, 0}))[0];
        return std::vector<Value>{transpose(y, {1, 0})};
      },
      {transposed});
  EXPECT_THAT(results[0].to_doubles(), ElementsAre(100.5, 97, 107.5, 101, 96, 109));
}

TEST(CustomCallOnDevice, HasNoGradientOfItsOwn) {
  Tracer tracer;
  Value x = tracer.argument({f32, {3, 2}});
  EXPECT_THAT(message_of([&] {
                autodiff::grad([](Value y) { return reduce_sum(weight_rows(y)[0], {0, 1}); }, x);
              }),
              HasSubstr("custom_call: has no gradient"));
}

/// Adds 1 in place.
struct Increment {
  static constexpr std::string_view kName = "mw_test_increment";
  static constexpr int kAbiVersion = 1;
  inline static bool in_place = false;
  static void run(pjrt::KernelCall& call) {
    in_place = call.input(0).data == call.output(0).data;
    std::ranges::transform(call.input(0).values<float>(), call.output(0).values<float>().begin(),
                           [](float x) { return x + 1; });
  }
};

TEST(CustomCallOnDevice, WritesOverAnAliasedOperand) {
  runtime::test_client().add_kernel(pjrt::kernel<Increment>());
  for (bool aliased : {false, true}) {
    CustomCallOptions options{.results = {kX.type()}};
    if (aliased) options.aliases = {{.result = 0, .operand = 0}};
    auto results = evaluate(
        [&](std::span<const Value> args) {
          return custom_call("mw_test_increment", {args[0] * 2}, options);
        },
        {kX});
    EXPECT_THAT(results[0].to_doubles(), ElementsAre(3, 5, 7, 9, 11, 13));
    EXPECT_EQ(Increment::in_place, aliased);
  }
}

/// Doubles its input, as an op that names its own kernel.
struct Double {
  static constexpr std::string_view kName = "mw_test_double";
  static constexpr int kAbiVersion = 1;
  static void run(pjrt::KernelCall& call) {
    std::ranges::transform(call.input(0).values<float>(), call.output(0).values<float>().begin(),
                           [](float x) { return 2 * x; });
  }
};
const pjrt::Kernel kDoubleKernel = pjrt::kernel<Double>();

void write_double(Writer& writer, const Node& node) {
  write_custom_call(writer, node, {.target = Double::kName, .attributes = {}});
}

const OpDef kDouble{.name = "double",
                    .infer = [](const Node& node) { return std::vector<Type>{node.in(0)}; },
                    .write = write_double,
                    .vjp = kNoGradient,
                    .handler = &kDoubleKernel};

TEST(CustomCallOnDevice, AKernelOpBringsItsHandler) {
  auto results = evaluate(
      [](std::span<const Value> args) { return std::vector<Value>{emit(kDouble, {args[0]}, {})}; },
      {kX});
  EXPECT_THAT(results[0].to_doubles(), ElementsAre(2, 4, 6, 8, 10, 12));
}

}  // namespace
}  // namespace meshwright::graph
