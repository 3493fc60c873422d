// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/collectives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/core/graph_testutil.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/manual.h"

namespace meshwright::graph {
namespace {

using testing::HasSubstr;

const mesh::Mesh kMesh({{"d", 2}, {"t", 4}});

// The text of a program that applies a body to the parts "8/d 8/t".
std::string text_in_region(const std::function<Value(Value)>& body, mesh::ShardSpec out) {
  Tracer tracer({.mesh = kMesh});
  Value x = tracer.argument({f32, {8, 8}});
  auto region = [&](std::span<const Value> parts) { return std::vector<Value>{body(parts[0])}; };
  return write_stablehlo(tracer.finish(manual({{x, "8/d 8/t"}}, {out}, region)));
}

std::string error_in_region(const std::function<void(Value)>& body) {
  return message_of([&] {
    text_in_region(
        [&](Value x) {
          body(x);
          return x;
        },
        "8/d 8/t");
  });
}

TEST(Collectives, AreWrittenWithTheGroupsOfTheMesh) {
  std::string text = text_in_region([](Value x) { return all_reduce(x, {"t"}); }, "8/d 2");
  EXPECT_THAT(text, HasSubstr("\"stablehlo.all_reduce\"(%0) <{replica_groups = "
                              "dense<[[0,1,2,3],[4,5,6,7]]> : tensor<2x4xi64>, channel_handle = "
                              "#stablehlo.channel_handle<handle = 1, type = 1>, "
                              "use_global_device_ids}>"));
  text = text_in_region([](Value x) { return all_gather(x, 0, {"t", "d"}); }, "a/d b/t");
  EXPECT_THAT(text, HasSubstr("\"stablehlo.all_gather\"(%0) <{all_gather_dim = 0 : i64, "
                              "replica_groups = dense<[[0,4,1,5,2,6,3,7]]> : tensor<1x8xi64>"));
  EXPECT_THAT(text, HasSubstr("(tensor<4x2xf32>) -> tensor<32x2xf32>"));
  text = text_in_region([](Value x) { return reduce_scatter(x, 0, {"t"}); }, "a/d b/t");
  EXPECT_THAT(text, HasSubstr("scatter_dimension = 0 : i64"));
  text = text_in_region([](Value x) { return all_to_all(x, 0, 1, {"t"}); }, "a/d b/t");
  EXPECT_THAT(text, HasSubstr("split_dimension = 0 : i64, concat_dimension = 1 : i64, "
                              "split_count = 4 : i64"));
  text = text_in_region([](Value x) { return permute(x, {"d"}, {{1, 0}}); }, "8/d 8/t");
  EXPECT_THAT(text, HasSubstr("source_target_pairs = dense<[[4,0],[5,1],[6,2],[7,3]]> : "
                              "tensor<4x2xi64>"));
}

TEST(Collectives, CountAsVaryingOrNot) {
  text_in_region(
      [](Value x) {
        auto axes = [](int i) { return mesh::AxisSet::of(i); };
        EXPECT_EQ(x.type().varying, axes(0) | axes(1));
        EXPECT_EQ(all_reduce(x, {"t"}).type().varying, axes(0));
        EXPECT_EQ(all_gather(x, 0, {"t"}).type().varying, axes(0) | axes(1));
        EXPECT_EQ(all_gather_replicated(x, 0, {"t"}).type().varying, axes(0));
        EXPECT_EQ(axis_index({"d"}).type().varying, axes(0));
        Value sum = all_reduce(x, {"t", "d"});
        EXPECT_TRUE(sum.type().varying.empty());
        EXPECT_EQ(ring_shift(sum, {"t"}).type().varying, axes(1));
        return x;
      },
      "8/d 8/t");
}

TEST(Collectives, SumsOfEqualTermsAreRefused) {
  std::string message = error_in_region([](Value x) {
    all_reduce(all_reduce(x, {"t"}), {"d", "t"});
  });
  EXPECT_THAT(message, HasSubstr("all_reduce_sum: f32[4,2] does not vary over mesh axes t"));
  EXPECT_THAT(message, HasSubstr("collectives_test.cc:"));
  EXPECT_THAT(error_in_region([](Value x) { reduce_scatter(all_reduce(x, {"t"}), 0, {"t"}); }),
              HasSubstr("does not vary over mesh axes t"));
}

TEST(Collectives, NameWhatDoesNotFit) {
  EXPECT_THAT(error_in_region([](Value x) { all_gather(x, 2, {"t"}); }),
              HasSubstr("all_gather: there is no dimension 2 in f32[4,2]"));
  EXPECT_THAT(
      error_in_region([](Value x) { reduce_scatter(x, 1, {"t"}); }),
      HasSubstr("dimension 1 of f32[4,2] cannot be split into 4 equal parts over mesh axes t"));
  EXPECT_THAT(error_in_region([](Value x) { all_to_all(x, 1, 0, {"t"}); }),
              HasSubstr("cannot be split"));
  EXPECT_THAT(error_in_region([](Value x) {
                permute(x, {"t"}, {{0, 4}});
              }),
              HasSubstr("the pair 0 to 4 is out of range for 4 devices"));
  EXPECT_THAT(error_in_region([](Value x) {
                permute(x, {"t"}, {{0, 1}, {0, 2}});
              }),
              HasSubstr("device 0 sends twice"));
  EXPECT_THAT(error_in_region([](Value x) {
                permute(x, {"t"}, {{0, 1}, {2, 1}});
              }),
              HasSubstr("device 1 receives twice"));
  EXPECT_THAT(error_in_region([](Value x) { all_gather(x, 0, {"model"}); }),
              testing::MatchesRegex("all_gather: mesh axis 'model' does not exist; the mesh is "
                                    "d=2,t=4 \\(.*collectives_test.cc:[0-9]+\\)\n.*'d', 't'"));
  EXPECT_THAT(error_in_region([](Value x) {
                all_gather(x, 0, {"t", "t"});
              }),
              HasSubstr("named twice"));
}

TEST(Collectives, StandInManualRegions) {
  Tracer tracer({.mesh = kMesh});
  Value x = tracer.argument({f32, {8}});
  EXPECT_THAT(message_of([&] { all_gather(x, 0, {"t"}); }), HasSubstr("not manual here"));
  EXPECT_THAT(message_of([&] { axis_index({"t"}); }), HasSubstr("not manual here"));
}

TEST(AxisSize, IsKnownWhileTracing) {
  text_in_region(
      [](Value x) {
        EXPECT_EQ(axis_size({"t"}), 4);
        EXPECT_EQ(axis_size({"d", "t"}), 8);
        return x;
      },
      "8/d 8/t");
}

}  // namespace
}  // namespace meshwright::graph
