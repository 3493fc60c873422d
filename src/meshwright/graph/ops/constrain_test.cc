// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/constrain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/core/graph_testutil.h"
#include "meshwright/graph/ops/manual.h"

namespace meshwright::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const mesh::Mesh kMesh({{"data", 2}, {"tensor", 4}});
const mesh::AxisRules kRules({{"batch", {"data"}}, {"mlp", {"tensor"}}});

TEST(Constrain, FollowsTheActivationRules) {
  Tracer tracer({.mesh = kMesh, .activations = kRules});
  Value x = tracer.argument({f32, {4, 6, 8}});
  Value y = constrain(x, "batch len mlp");
  EXPECT_THAT(write_stablehlo(tracer.finish({y})),
              HasSubstr("\"sdy.sharding_constraint\"(%arg0) <{sharding = #sdy.sharding<@mesh, "
                        "[{\"data\"}, {}, {\"tensor\"}]>}> : (tensor<4x6x8xf32>)"));
}

TEST(Constrain, AnArrayWithoutRulesBecomesWhole) {
  Tracer tracer({.mesh = kMesh, .activations = kRules});
  Value x = tracer.argument({f32, {4}});
  EXPECT_THAT(write_stablehlo(tracer.finish({constrain(x, "len")})),
              HasSubstr("#sdy.sharding<@mesh, [{}]>"));
}

TEST(Constrain, DoesNothingWithoutAMeshOrWithoutRules) {
  {
    Tracer tracer({.activations = kRules});
    Value x = tracer.argument({f32, {4}});
    EXPECT_EQ(constrain(x, "batch"), x);
    EXPECT_EQ(constrain(x, mesh::Sharding{{{"data"}}}), x);
  }
  Tracer tracer({.mesh = kMesh});
  Value x = tracer.argument({f32, {4}});
  EXPECT_EQ(constrain(x, "batch"), x);
}

TEST(Constrain, TakesAShardingAsItIs) {
  Tracer tracer({.mesh = kMesh});
  Value x = tracer.argument({f32, {8, 4}});
  Value y = constrain(x, mesh::Sharding{{{"data", "tensor"}}});
  EXPECT_THAT(write_stablehlo(tracer.finish({y})), HasSubstr("[{\"data\", \"tensor\"}, {}]"));
}

TEST(Constrain, SaysWhereBeforeTheRemedy) {
  Tracer tracer({.mesh = kMesh});
  Value x = tracer.argument({f32, {3, 8}});
  EXPECT_THAT(message_of([&] { constrain(x, mesh::Sharding{{{"date"}}}); }),
              testing::MatchesRegex(".*'date' does not exist.* \\(.*constrain_test.cc:[0-9]+\\)\n"
                                    "did you mean 'data'\\?.*"));
  EXPECT_THAT(message_of([&] { constrain(x, mesh::Sharding{{{"data"}}}); }),
              testing::MatchesRegex(".*3, which is not divisible.* \\(.*constrain_test.cc:[0-9]+\\)"
                                    "\npad the dimension or use fewer mesh axes"));
}

TEST(Constrain, ChecksNamesAndSizes) {
  Tracer tracer({.mesh = kMesh, .dims = {{"mlp", 8}}, .activations = kRules});
  Value x = tracer.argument({f32, {3, 4}});
  EXPECT_THAT(message_of([&] { constrain(x, "batch"); }), HasSubstr("names 1 axes, but f32[3,4]"));
  EXPECT_THAT(message_of([&] { constrain(x, "len mlp"); }), HasSubstr("axis 'mlp' is 8"));
  EXPECT_THAT(message_of([&] { constrain(x, "batch embed"); }),
              testing::AllOf(HasSubstr("dimension 0 is 3"), HasSubstr("data=2"),
                             HasSubstr("constrain_test.cc:")));
  EXPECT_THAT(message_of([&] {
                constrain(x, mesh::Sharding{{{}, {"model"}}});
              }),
              HasSubstr("'model' does not exist"));
}

TEST(Constrain, InAManualRegionOnlyTheOtherMeshAxesCount) {
  Tracer tracer({.mesh = kMesh, .activations = kRules});
  Value x = tracer.argument({f32, {4, 8}});
  auto body = [](std::span<const Value> parts) {
    return std::vector<Value>{constrain(parts[0], "batch mlp")};
  };
  std::vector<Value> y =
      manual({{x, "batch/data mlp"}}, {"batch/data mlp"}, body, {.axes = {"data"}});
  EXPECT_THAT(write_stablehlo(tracer.finish({y})),
              HasSubstr("sharding_constraint\"(%0) <{sharding = #sdy.sharding<@mesh, "
                        "[{}, {\"tensor\"}]>}> : (tensor<2x8xf32>)"));
}

TEST(Constrain, IsNothingWhereAllMeshAxesAreManual) {
  Tracer tracer({.mesh = kMesh, .activations = kRules});
  Value x = tracer.argument({f32, {4, 8}});
  auto body = [](std::span<const Value> parts) {
    return std::vector<Value>{constrain(parts[0], "batch mlp")};
  };
  std::vector<Value> y = manual({{x, "batch/data mlp"}}, {"batch/data mlp"}, body);
  EXPECT_THAT(write_stablehlo(tracer.finish({y})), Not(HasSubstr("sharding_constraint")));
}

TEST(ActivationRules, ThatMatchNothingAreWarnings) {
  Tracer tracer({.mesh = kMesh, .activations = kRules});
  Value x = tracer.argument({f32, {4}});
  Program program = tracer.finish({constrain(x, "batch")});
  EXPECT_THAT(program.warnings, ElementsAre(HasSubstr("axis 'mlp' matches no array")));
}

TEST(ActivationRules, MustNameMeshAxesThatExist) {
  std::vector<mesh::AxisRule> misspelt = {{"batch", {"dta"}}};
  TraceOptions options{.mesh = kMesh, .activations = mesh::AxisRules(misspelt)};
  EXPECT_THAT(message_of([&] { Tracer tracer(options); }), HasSubstr("did you mean 'data'"));
}

}  // namespace
}  // namespace meshwright::graph
