// SPDX-License-Identifier: Apache-2.0
#include "meshwright/mesh/param_sharding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/mesh/shard_spec.h"
#include "meshwright/mesh/strategy_text.h"

namespace meshwright::mesh {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Mesh kMesh({{"data", 2}, {"fsdp", 4}});

std::vector<ParamInfo> example_params() {
  std::vector<ParamInfo> out(3);
  out[0].path = "decoder/embed";
  out[0].type = {f32, {64, 16}};
  out[0].axes = {"vocab", "embed"};
  out[1].path = "decoder/layers/w_q";
  out[1].type = {f32, {6, 16, 8}};
  out[1].axes = {"layers", "embed", "heads"};
  out[2].path = "decoder/norm";
  out[2].type = {f32, {16}};
  out[2].axes = {"embed"};
  return out;
}

TEST(ShardByAxes, UsesTheTable) {
  AxisRules rules({{"vocab", {"data"}}, {"embed", {"fsdp"}}});
  ParamShardings out = shard_by_axes(kMesh, example_params(), rules);
  EXPECT_THAT(out.shardings, ElementsAre(Sharding{{{"data"}, {"fsdp"}}}, Sharding{{{}, {"fsdp"}}},
                                         Sharding{{{"fsdp"}}}));
  EXPECT_THAT(out.warnings, IsEmpty());
}

TEST(ShardByAxes, WarnsOfARuleForNothing) {
  AxisRules rules({{"embd", {"fsdp"}}});
  EXPECT_THAT(shard_by_axes(kMesh, example_params(), rules).warnings,
              ElementsAre(AllOf(HasSubstr("'embd' matches no array"), HasSubstr("'embed'"))));
}

TEST(ShardByAxes, NamesTheParameterThatDoesNotDivide) {
  AxisRules rules({{"layers", {"fsdp"}}});
  EXPECT_THAT(message_of([&] { shard_by_axes(kMesh, example_params(), rules); }),
              AllOf(HasSubstr("parameter 'decoder/layers/w_q' f32[6,16,8]"),
                    HasSubstr("dimension 0 is 6")));
}

TEST(ShardByPatterns, TheFirstPatternThatMatchesTheWholePathDecides) {
  std::vector<ShardingPattern> specs = {{Regex(".*/layers/.*"), ShardSpec("a b/data c").sharding()},
                                        {Regex(".*/embed"), ShardSpec("a/fsdp/data b").sharding()},
                                        {Regex(".*"), {}}};
  ParamShardings out = shard_by_patterns(kMesh, example_params(), specs);
  EXPECT_THAT(out.shardings,
              ElementsAre(Sharding{{{"fsdp", "data"}}}, Sharding{{{}, {"data"}}}, Sharding{}));
}

TEST(ShardByPatterns, MustCoverEveryParameter) {
  std::vector<ShardingPattern> specs = {{Regex(".*/layers/.*"), {}}, {Regex("decoder/e"), {}}};
  EXPECT_THAT(message_of([&] { shard_by_patterns(kMesh, example_params(), specs); }),
              HasSubstr("'decoder/embed' f32[64,16] matches none of the 2 patterns"));
  specs.push_back({Regex(".*"), {}});
  EXPECT_THAT(shard_by_patterns(kMesh, example_params(), specs).warnings,
              ElementsAre(HasSubstr("'decoder/e' applies to no parameter")));
}

TEST(FullySharded, SplitsTheLargestDimensionThatDivides) {
  FullyShardedOptions all{.axes = {"fsdp"}, .too_small_to_shard_thr = 0};
  EXPECT_EQ(fully_sharded(kMesh, {8, 64, 16}, all), (Sharding{{{}, {"fsdp"}}}));
  EXPECT_EQ(fully_sharded(kMesh, {8, 63, 16}, all), (Sharding{{{}, {}, {"fsdp"}}}));
  EXPECT_EQ(fully_sharded(kMesh, {16, 16}, all), (Sharding{{{}, {"fsdp"}}}));
  EXPECT_EQ(fully_sharded(kMesh, {3, 5}, all), Sharding{});
  EXPECT_EQ(fully_sharded(kMesh, {}, all), Sharding{});
}

TEST(FullySharded, LeavesSmallArraysWhole) {
  EXPECT_EQ(fully_sharded(kMesh, {512, 512}), Sharding{});  // 2^18
  EXPECT_EQ(fully_sharded(kMesh, {512, 516}), (Sharding{{{}, {"fsdp"}}}));
}

TEST(ShardByName, RefusesUnknownNames) {
  EXPECT_TRUE(shard_by_name(kMesh, example_params(), "replicated").shardings[0].is_replicated());
  EXPECT_THAT(message_of([] { shard_by_name(kMesh, example_params(), "fully_shared"); }),
              HasSubstr("did you mean 'fully_sharded'"));
}

ParamShardings by_strategy(std::string strategy, const AxisRules& rules = {}) {
  std::vector<StrategyRule> list = {{Regex(".*/layers/.*"), std::move(strategy)},
                                    {Regex(".*"), "replicate"}};
  return shard_by_strategies(kMesh, example_params(), list, rules);
}

TEST(ShardByStrategies, Fsdp) {
  EXPECT_EQ(by_strategy("fsdp(axis='fsdp', min_size_to_shard_mb=0)").shardings[1],
            (Sharding{{{}, {"fsdp"}}}));
  EXPECT_EQ(by_strategy("fsdp(axis=('data', 'fsdp'), min_size_to_shard_mb=0)").shardings[1],
            (Sharding{{{}, {"data", "fsdp"}}}));
  EXPECT_EQ(by_strategy("fsdp('fsdp')").shardings[1], Sharding{});  // below 4 MiB
  // 6 * 16 * 8 * 4 bytes are exactly this many MiB, which is not larger.
  EXPECT_EQ(by_strategy("fsdp('fsdp', 0.0029296875)").shardings[1], Sharding{});
}

TEST(ShardByStrategies, StepsFollowEachOther) {
  EXPECT_EQ(
      by_strategy("shard_dim('data', 1)|fsdp(axis=\"fsdp\", min_size_to_shard_mb=0)").shardings[1],
      (Sharding{{{}, {"data"}, {"fsdp"}}}));
  EXPECT_THAT(message_of([] { by_strategy("shard_dim('data', 1)|replicate"); }),
              HasSubstr("replicate: the parameter is already split"));
  EXPECT_THAT(message_of([] { by_strategy("shard_dim('data', 1)|shard_dim('fsdp', -2)"); }),
              HasSubstr("dimension -2 is already split"));
}

TEST(ShardByStrategies, ShardDimChecksTheRank) {
  EXPECT_EQ(by_strategy("shard_dim('data', -1)").shardings[1], (Sharding{{{}, {}, {"data"}}}));
  EXPECT_THAT(message_of([] { by_strategy("shard_dim('data', 3)"); }),
              AllOf(HasSubstr("decoder/layers/w_q"), HasSubstr("no dimension 3")));
  ParamShardings ignored = by_strategy("shard_dim('data', 3, ignore_ndim_error=True)");
  EXPECT_EQ(ignored.shardings[1], Sharding{});
  EXPECT_THAT(ignored.warnings, ElementsAre(HasSubstr("has no dimension 3")));
}

TEST(ShardByStrategies, LogicalPartitioningUsesTheAxisRules) {
  EXPECT_EQ(by_strategy("logical_partitioning", AxisRules({{"heads", {"data"}}})).shardings[1],
            (Sharding{{{}, {}, {"data"}}}));
}

TEST(ShardByStrategies, RefuseWhatTheyDoNotKnow) {
  EXPECT_THAT(
      message_of([] { by_strategy("fdsp('fsdp')"); }),
      AllOf(HasSubstr("unknown sharding strategy 'fdsp'"), HasSubstr("did you mean 'fsdp'")));
  EXPECT_THAT(message_of([] { by_strategy("fsdp('fsdp', min_mb=3)"); }),
              HasSubstr("unknown argument 'min_mb'\nallowed: axis, min_size_to_shard_mb"));
  EXPECT_THAT(message_of([] { by_strategy("fsdp()"); }), HasSubstr("'axis' is missing"));
  EXPECT_THAT(message_of([] { by_strategy("fsdp(axis=3)"); }), HasSubstr("wrong type"));
  EXPECT_THAT(message_of([] { by_strategy("fsdp(axis=None)"); }), HasSubstr("no mesh axis"));
}

TEST(ShardByStrategies, RefuseMeshAxesThatDoNotExist) {
  // Even if no parameter is large enough or matches.
  for (const char* strategy :
       {"fsdp('fspd')", "fsdp(axis=('data', 'fspd'))", "fully_sharded(axis='fspd')",
        "shard_dim('fspd', 7, True)", "partition_spec(None, 'fspd')", "replicate|fsdp('fspd')"}) {
    EXPECT_THAT(message_of([&] {
                  shard_by_strategies(kMesh, example_params(),
                                      std::vector<StrategyRule>{{Regex("absent"), strategy},
                                                                {Regex(".*"), "replicate"}});
                }),
                AllOf(HasSubstr("sharding of 'absent' by "),
                      HasSubstr("mesh axis 'fspd' does not exist; the mesh is data=2,fsdp=4\n"
                                "did you mean 'fsdp'? the mesh has 'data', 'fsdp'")))
        << strategy;
  }
}

TEST(FullySharded, WantsItsAxisAlsoWhereEveryParameterIsSmall) {
  const Mesh mesh({{"data", 8}});
  const char* wanted =
      "mesh axis 'fsdp' does not exist; the mesh is data=8\n"
      "use an existing axis, or add this one to the mesh: the mesh has 'data'";
  EXPECT_THAT(message_of([&] { shard_by_name(mesh, example_params(), "fully_sharded"); }),
              HasSubstr(wanted));
  std::vector<StrategyRule> rules = {{Regex(".*"), "fully_sharded(too_small_to_shard_thr=9999)"}};
  EXPECT_THAT(message_of([&] { shard_by_strategies(mesh, example_params(), rules); }),
              HasSubstr(wanted));
  EXPECT_TRUE(shard_by_name(mesh, example_params(), "replicated").shardings[0].is_replicated());
  EXPECT_TRUE(
      shard_by_name(mesh, example_params(), "fully_sharded", {.axes = {"data"}}).warnings.empty());
}

TEST(ShardByPatterns, RefusesMeshAxesThatDoNotExist) {
  std::vector<ShardingPattern> specs = {{Regex("absent"), Sharding{{{"model"}}}},
                                        {Regex(".*"), {}}};
  EXPECT_THAT(message_of([&] { shard_by_patterns(kMesh, example_params(), specs); }),
              AllOf(HasSubstr("mesh axis 'model' does not exist"),
                    HasSubstr("\nuse an existing axis, or add this one to the mesh: the mesh "
                              "has 'data', 'fsdp'")));
  EXPECT_THAT(message_of([&] { shard_by_patterns(Mesh(), example_params(), specs); }),
              HasSubstr("the mesh is one device\ndo not split the array, or add axes to the mesh"));
}

TEST(ShardByStrategies, WantsWholeNumbersOfSomeSize) {
  for (const char* dim : {"0.5", "1e300", "-inf"}) {
    EXPECT_THAT(message_of([&] { by_strategy(str("shard_dim('data', ", dim, ", True)")); }),
                HasSubstr("expected an integer\nwrite dim=1"))
        << dim;
  }
  EXPECT_THAT(message_of([] { by_strategy("fully_sharded('data', 1e19)"); }),
              HasSubstr("'too_small_to_shard_thr' is 1e+19, expected an integer"));
  EXPECT_THAT(message_of([] { by_strategy("replicate(1)"); }),
              HasSubstr("unknown argument 0\nallowed: none"));
}

TEST(ParseStrategy, ShowsWhereItCannotRead) {
  for (const char* text : {"", "fsdp(", "fsdp('a'", "fsdp(axis='a", "fsdp('a' 'b')", "a||b",
                           "fsdp(axis=none)", "fsdp('a'))"}) {
    EXPECT_THAT(message_of([&] { parse_strategy(text); }), HasSubstr(str("strategy '", text, "'")));
  }
  EXPECT_EQ(parse_strategy(" a | b ( 'x' , y = ['p', \"q\",] ) ").size(), 2u);
}

TEST(ParseMeshAxes, ReadsWhatJaxWrites) {
  EXPECT_EQ(parse_mesh_axes("('data', None, ('fsdp', 'data'))"),
            (Sharding{{{"data"}, {}, {"fsdp", "data"}}}));
  EXPECT_EQ(parse_mesh_axes("('data',)"), (Sharding{{{"data"}}}));
  EXPECT_EQ(parse_mesh_axes("(None,)"), Sharding{});
  EXPECT_EQ(parse_mesh_axes("()"), Sharding{});
  for (const char* bad : {"data", "('data'", "(3)", "(axis='data')", "('data') x"})
    EXPECT_THROW(parse_mesh_axes(bad), Error) << bad;
  for (const char* bad : {"('data')|fsdp('data')", "('data'", "(3)", "data"}) {
    EXPECT_THAT(message_of([&] { parse_mesh_axes(bad); }),
                AllOf(HasSubstr("mesh_axes"),
                      HasSubstr("\nfor example: ('data', None, ('fsdp', 'tensor'))")))
        << bad;
  }
}

TEST(ShardByAxes, TheParametersOwnSpecComesFirst) {
  std::vector<ParamInfo> params = example_params();
  params[0].mesh_axes = "(None, 'data')";
  AxisRules rules({{"vocab", {"data"}}, {"embed", {"fsdp"}}});
  ParamShardings out = shard_by_axes(kMesh, params, rules);
  EXPECT_THAT(out.shardings, ElementsAre(Sharding{{{}, {"data"}}}, Sharding{{{}, {"fsdp"}}},
                                         Sharding{{{"fsdp"}}}));
  EXPECT_THAT(out.warnings, ElementsAre(HasSubstr("'vocab' matches no array")));
  params[0].mesh_axes = "('data', 'data')";
  EXPECT_THAT(message_of([&] { shard_by_axes(kMesh, params, rules); }),
              AllOf(HasSubstr("parameter 'decoder/embed'"), HasSubstr("data")));
}

TEST(ShardByStrategies, KnowsSpecsAndFullSharding) {
  std::vector<ParamInfo> params = example_params();
  params[2].mesh_axes = "('data',)";
  std::vector<StrategyRule> rules = {
      {Regex(".*/embed"), "partition_spec(('data', 'fsdp'), None)"},
      {Regex(".*/w_q"), "fully_sharded(axis='fsdp', too_small_to_shard_thr=100)"},
      {Regex(".*"), "logical_partitioning"}};
  EXPECT_THAT(
      shard_by_strategies(kMesh, params, rules).shardings,
      ElementsAre(Sharding{{{"data", "fsdp"}}}, Sharding{{{}, {"fsdp"}}}, Sharding{{{"data"}}}));
  rules[1].strategy = "fully_sharded";  // for more than 2^18 elements only
  rules[2].strategy = "replicated";
  EXPECT_THAT(shard_by_strategies(kMesh, params, rules).shardings,
              ElementsAre(Sharding{{{"data", "fsdp"}}}, Sharding{}, Sharding{}));
  rules[2].strategy = "partition_spec('data', 'data')";
  EXPECT_THAT(message_of([&] { shard_by_strategies(kMesh, params, rules); }),
              HasSubstr("parameter 'decoder/norm'"));
}

}  // namespace
}  // namespace meshwright::mesh
