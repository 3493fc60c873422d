// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/core/graph_testutil.h"

namespace meshwright::graph {
namespace {

using testing::HasSubstr;

TEST(Mean, KeepsTheDtypeAndSumsInF32) {
  std::string text = text_of({{bf16, {2, 3}}}, [](std::span<const Value> args) {
    return std::vector<Value>{mean(args[0], {1})};
  });
  EXPECT_THAT(text, HasSubstr("(tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>"));
  EXPECT_THAT(text, HasSubstr("dense<3.0e+00>"));
  EXPECT_THAT(text, HasSubstr("-> (tensor<2xbf16>)"));
}

TEST(Mean, OfIntegersNeedsADtype) {
  Tracer tracer;
  Value x = tracer.argument({s32, {2, 3}});
  EXPECT_THAT(message_of([&] { mean(x, {0}); }),
              HasSubstr("mean: expects a float array, got s32[2,3]; cast it or pass {.out = f32} "
                        "(functions_test.cc:"));
  EXPECT_EQ(mean(x, {0}, {.out = f32}).type(), Type(f32, {3}));
}

TEST(Functions, HaveTheShapesTheyPromise) {
  Tracer tracer;
  Value x = tracer.argument({bf16, {2, 3, 5}});
  EXPECT_EQ(variance(x, {0, -1}).type(), Type(bf16, {3}));
  EXPECT_EQ(variance(x, {0, -1}, {.keep_dims = true}).type(), Type(bf16, {1, 3, 1}));
  EXPECT_EQ(logsumexp(x, {1}).type(), Type(bf16, {2, 5}));
  EXPECT_EQ(logsumexp(x, {1}, {.keep_dims = true, .out = f32}).type(), Type(f32, {2, 1, 5}));
  EXPECT_EQ(softmax(x, -1).type(), x.type());
  EXPECT_EQ(log_softmax(x, 0).type(), x.type());
  EXPECT_EQ(gelu(x).type(), x.type());
}

TEST(Functions, BelongToTheLineThatCallsThem) {
  Tracer tracer;
  Value x = tracer.argument({f32, {2, 3}});
  EXPECT_THAT(message_of([&] { softmax(x, 2); }),
              HasSubstr("reduce_max: there is no dimension 2 in f32[2,3] (functions_test.cc:"));
  Program program = tracer.finish({silu(x)});
  EXPECT_THAT(write_stablehlo(program, {.locations = true}),
              testing::Not(HasSubstr("functions.cc")));
}

}  // namespace
}  // namespace meshwright::graph
