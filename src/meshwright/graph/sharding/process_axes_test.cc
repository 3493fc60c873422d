// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/sharding/process_axes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/core/graph_testutil.h"
#include "meshwright/graph/ops/collectives.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/manual.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/sharding/global.h"
#include "meshwright/mesh/device_groups.h"

namespace meshwright::graph {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const mesh::Mesh kInner({{"data", 8}});
const mesh::Mesh kBoth({{"host", 1, mesh::AxisKind::process}, {"data", 8}});
const mesh::AxisSet kHost = mesh::AxisSet::of(0);

// A step in small: the mean of the products of a batch and a parameter.
std::string step(const mesh::Mesh& mesh,
                 const mesh::Sharding& batch,
                 const mesh::Sharding& stored) {
  Tracer tracer({.mesh = mesh});
  Value x = tracer.argument({f32, {16, 4}}, {.name = "x", .sharding = batch});
  Value w = tracer.argument({f32, {16, 4}}, {.name = "w", .sharding = stored});
  Value used = process_whole(w, stored);
  return write_stablehlo(tracer.finish({global_mean(x * used), global_sum(x)}));
}

TEST(ProcessAxes, WithOneProcessTheProgramIsTheSameAsWithoutThem) {
  EXPECT_EQ(step(kBoth, {{{"host", "data"}}}, {{{"host", "data"}}}),
            step(kInner, {{{"data"}}}, {{{"data"}}}));
  EXPECT_EQ(step(kBoth, {{{"host", "data"}}}, {}), step(kInner, {{{"data"}}}, {}));
}

TEST(ProcessAxes, WhatIsComputedFromAPartVariesUntilItIsSummed) {
  Tracer tracer({.mesh = kBoth});
  Value x = tracer.argument({f32, {16}}, {.name = "x", .sharding = mesh::Sharding{{{"host"}}}});
  Value w = tracer.argument({f32, {16}}, {.name = "w"});
  EXPECT_EQ(x.type().varying, kHost);
  EXPECT_EQ((x * w).type().varying, kHost);
  EXPECT_TRUE(w.type().varying.empty());
  EXPECT_TRUE(global_sum(x * w).type().varying.empty());
  EXPECT_TRUE(global_mean(x * w, x).type().varying.empty());
  EXPECT_EQ(process_whole(w, {}).type().varying, kHost);
}

TEST(ProcessAxes, AResultThatDiffersByProcessMustBeDeclared) {
  Tracer tracer({.mesh = kBoth});
  mesh::Sharding cut{{{"host"}}};
  Value x = tracer.argument({f32, {16}}, {.name = "x", .sharding = cut});
  EXPECT_THAT(
      message_of([&] { tracer.finish({reduce_sum(x, {0})}, {{.name = "loss"}}); }),
      AllOf(HasSubstr("result 0 (loss)"), HasSubstr("differs by process along mesh axes host"),
            HasSubstr("global_sum or global_mean")));
  tracer.finish({x * 2}, {{.name = "y", .sharding = cut}});
}

TEST(ProcessAxes, AreNoneOfARegionsOwn) {
  Tracer tracer({.mesh = kBoth});
  Value x = tracer.argument({f32, {16}}, {.name = "x", .sharding = mesh::Sharding{{{"host"}}}});
  auto body = [](std::span<const Value> parts) {
    EXPECT_EQ(parts[0].dims(), Dims{2});
    EXPECT_EQ(parts[0].type().varying, kHost | mesh::AxisSet::of(1));
    return std::vector<Value>{global_sum(parts[0])};
  };
  Value sum = manual({{x, "batch/data"}}, {""}, body)[0];
  EXPECT_TRUE(sum.type().varying.empty());
  EXPECT_THAT(write_stablehlo(tracer.finish({sum})),
              AllOf(HasSubstr("manual_axes{\"data\"}"), Not(HasSubstr("host"))));
}

TEST(ProcessAxes, CollectivesAlongThemNeedNoRegion) {
  Tracer tracer({.mesh = kBoth});
  Value x = tracer.argument({f32, {16}}, {.name = "x", .sharding = mesh::Sharding{{{"host"}}}});
  Value whole = all_gather_replicated(x, 0, {"host"});
  EXPECT_THAT(write_stablehlo(tracer.finish({whole})), Not(HasSubstr("all_gather")));
}

TEST(ProcessAxes, MoreThanOneProcessIsRefusedForNow) {
  mesh::Mesh two({{"host", 2, mesh::AxisKind::process}, {"data", 4}});
  EXPECT_THAT(
      message_of([&] { Tracer tracer({.mesh = two}); }),
      AllOf(HasSubstr("host=2 (processes),data=4"), HasSubstr("process axes must have size 1")));
}

TEST(ProcessWhole, WantsProcessAxesFirst) {
  Tracer tracer({.mesh = kBoth});
  mesh::Sharding stored{{{"data", "host"}}};
  Value w = tracer.argument({f32, {16}}, {.name = "w", .sharding = stored});
  EXPECT_THAT(message_of([&] { process_whole(w, stored); }), HasSubstr("must come first"));
}

}  // namespace
}  // namespace meshwright::graph
