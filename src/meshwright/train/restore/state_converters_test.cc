// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/restore/state_converters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/log.h"
#include "meshwright/train/step/state_testutil.h"

namespace meshwright::train {
namespace {

using testing::AllOf;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pointwise;

// Returns the converted `target` if `source` is all that the checkpoint has.
BuildState converted(const StateConverter& converter,
                     const BuildState& source,
                     const BuildState& target) {
  converter.to_source(target);
  return converter.to_target(source, target);
}

const BuildState kZeros = initial_state({{"a", numbers({0})}, {"b/a", numbers({0})}});
const BuildState kRestored = built_state({{"a", numbers({1})}, {"b/a", numbers({1000})}});

TEST(Merge, ChoosesByTheFirstPatternThatMatches) {
  StateConverter some =
      merge({{Regex("b/a"), MergeChoice::source}, {Regex(".*"), MergeChoice::target}});
  BuildState out = converted(some, kRestored, kZeros);
  EXPECT_THAT(value_of(out, "a"), ElementsAre(0));
  EXPECT_THAT(value_of(out, "b/a"), ElementsAre(1000));
  EXPECT_THAT(built_paths(out), ElementsAre("b/a"));
  EXPECT_THAT(paths(some.to_source(kZeros)), ElementsAre("b/a"));
}

TEST(Merge, TakesTheSourceWithoutAPattern) {
  BuildState out = converted(merge({}), kRestored, kZeros);
  EXPECT_THAT(value_of(out, "a"), ElementsAre(1));
  EXPECT_THAT(value_of(out, "b/a"), ElementsAre(1000));
}

const std::string kPositions = "model/emb/pos_emb/weight";

BuildState positions(Dims dims, float first = 0) {
  return built_state({{kPositions, counting_up(std::move(dims), first)}});
}
BuildState initial_positions(Dims dims, float first = 0) {
  return initial_state({{kPositions, counting_up(std::move(dims), first)}});
}
StateConverter resize(PositionStrategy strategy) {
  return resize_positions({Regex(".*/pos_emb/weight")}, strategy);
}

TEST(Positions, AreCutOffAtTheEndOrAtTheBeginning) {
  BuildState source = positions({1, 4, 2});
  BuildState target = initial_positions({1, 3, 2}, 100);
  BuildState first = converted(resize(PositionStrategy::truncate), source, target);
  EXPECT_EQ(first.arrays.at(kPositions).value().type, (ArrayType{f32, {1, 3, 2}}));
  EXPECT_THAT(value_of(first, kPositions), ElementsAre(0, 1, 2, 3, 4, 5));
  BuildState last = converted(resize(PositionStrategy::truncate_left), source, target);
  EXPECT_THAT(value_of(last, kPositions), ElementsAre(2, 3, 4, 5, 6, 7));
}

TEST(Positions, AreCutOffInAnyDimension) {
  BuildState out = converted(resize(PositionStrategy::truncate_left), positions({2, 3}),
                             initial_positions({2, 2}));
  EXPECT_THAT(value_of(out, kPositions), ElementsAre(1, 2, 4, 5));
}

TEST(Positions, CannotBeCutOutOfFewer) {
  for (auto strategy : {PositionStrategy::truncate, PositionStrategy::truncate_left}) {
    EXPECT_THAT(message_of([&] {
                  converted(resize(strategy), positions({1, 32, 2}), initial_positions({1, 64, 2}));
                }),
                HasSubstr("64 positions cannot be taken from 32"));
  }
}

TEST(Positions, MayDifferInOneDimensionOnly) {
  for (auto strategy : {PositionStrategy::truncate, PositionStrategy::truncate_left,
                        PositionStrategy::interpolate, PositionStrategy::replace_target_prefix}) {
    EXPECT_THAT(message_of([&] {
                  converted(resize(strategy), positions({1, 4, 2}), initial_positions({1, 3, 5}));
                }),
                AllOf(HasSubstr(kPositions), HasSubstr("may differ in one dimension")));
  }
}

TEST(Positions, OfTheSourceReplaceTheFirstOfTheTarget) {
  StateConverter replace = resize(PositionStrategy::replace_target_prefix);
  EXPECT_TRUE(replace.needs_values);
  BuildState target = initial_positions({1, 3, 2}, 100);
  BuildState out = converted(replace, positions({1, 2, 2}), target);
  EXPECT_THAT(value_of(out, kPositions), ElementsAre(0, 1, 2, 3, 104, 105));
  EXPECT_THAT(value_of(target, kPositions), ElementsAre(100, 101, 102, 103, 104, 105));
  EXPECT_THAT(message_of([&] {
                converted(replace, positions({1, 4, 2}), target);
              }),
              HasSubstr("the first of 3 positions cannot be replaced by 4"));
}

TEST(Positions, OfTheTargetAreKept) {
  BuildState target = initial_positions({1, 3, 2}, 100);
  StateConverter keep = resize(PositionStrategy::keep_target);
  BuildState out = converted(keep, positions({1, 4, 2}), target);
  EXPECT_THAT(value_of(out, kPositions), ElementsAre(100, 101, 102, 103, 104, 105));
  EXPECT_THAT(built_paths(out), IsEmpty());
  EXPECT_THAT(paths(keep.to_source(target)), IsEmpty());
}

// Values from jax.image.resize(x, shape, "linear").
TEST(Positions, AreInterpolatedAsJaxDoes) {
  BuildState source = built_state(
      {{kPositions, HostTensor::from<float>({0, 0, 1, 10, 4, 40, 9, 90, 16, 160}, {5, 2})}});
  const std::map<std::int64_t, std::vector<double>> wanted = {
      {8,
       {0, 0, 0.4375, 4.375, 1.1875, 11.875, 3.0625, 30.625, 5.5625, 55.625, 8.6875, 86.875,
        12.9375, 129.375, 16, 160}},
      {3, {0.42857140, 4.2857141, 4.4444447, 44.444447, 12.999999, 129.99998}}};
  for (const auto& [size, values] : wanted) {
    BuildState out =
        converted(resize(PositionStrategy::interpolate), source, initial_positions({size, 2}));
    EXPECT_THAT(value_of(out, kPositions), Pointwise(DoubleNear(5e-5), values));
  }
}

struct GridCase {
  PatchGrid from, to;
  std::vector<float> values;
  std::vector<double> wanted;
};

// Values from scipy.ndimage.zoom(x, (to.rows / from.rows, to.columns / from.columns, 1), order=1).
const GridCase kGridCases[] = {
    {{2, 2}, {3, 3}, {0, 1.25, 4.5, 2.75}, {0, 0.625, 1.25, 2.25, 2.125, 2, 4.5, 3.625, 2.75}},
    {{3, 3}, {2, 2}, {0, 1.25, 4.5, 2.75, 3, 5.25, 2.5, 1.75, 3}, {0, 4.5, 2.5, 3}},
    {{2, 3},
     {3, 4},
     {0, 1.25, 4.5, 2.75, 3, 5.25},
     {0, 0.833333, 2.333333, 4.5, 1.375, 1.875, 3.041667, 4.875, 2.75, 2.916667, 3.75, 5.25}},
    {{3, 2}, {1, 5}, {0, 1.25, 4.5, 2.75, 3, 5.25}, {0, 0.3125, 0.625, 0.9375, 1.25}}};

TEST(Positions, OfAGridAreInterpolatedInBothDirectionsAsScipyDoes) {
  for (const GridCase& c : kGridCases) {
    const std::int64_t num_source = c.from.rows * c.from.columns;
    std::vector<float> twice;  // two-dimensional embeddings, the second value ten times the first
    std::vector<double> wanted;
    for (float value : c.values)
      twice.insert(twice.end(), {value, value * 10});
    for (double value : c.wanted)
      wanted.insert(wanted.end(), {value, value * 10});
    BuildState source =
        built_state({{kPositions, HostTensor::from<float>(twice, {1, num_source, 2})}});
    StateConverter resize_grid =
        resize_positions({Regex(".*/pos_emb/weight")}, PositionStrategy::interpolate_grid,
                         {.source = c.from, .target = c.to});
    BuildState out =
        converted(resize_grid, source, initial_positions({1, c.to.rows * c.to.columns, 2}));
    EXPECT_THAT(value_of(out, kPositions), Pointwise(DoubleNear(1e-5), wanted));
  }
}

TEST(Positions, OfAGridAreASquareUnlessItIsSaid) {
  StateConverter squares = resize(PositionStrategy::interpolate_grid);
  BuildState source = built_state({{kPositions, HostTensor::from<float>({0, 1, 2, 3}, {4, 1})}});
  BuildState out = converted(squares, source, initial_positions({9, 1}));
  EXPECT_THAT(value_of(out, kPositions), ElementsAre(0, 0.5, 1, 1, 1.5, 2, 2, 2.5, 3));
  EXPECT_THAT(message_of([&] {
                converted(squares, source, initial_positions({6, 1}));
              }),
              AllOf(HasSubstr("6 positions are not a grid of 2 rows and 2 columns"),
                    HasSubstr("\nset from_grid and grid")));
}

TEST(Positions, OfAGridThatIsTurnedAreRefused) {
  StateConverter turned =
      resize_positions({Regex(".*/pos_emb/weight")}, PositionStrategy::interpolate_grid,
                       {.source = PatchGrid{2, 3}, .target = PatchGrid{3, 2}});
  EXPECT_THAT(message_of([&] {
                converted(turned, positions({6, 2}), initial_positions({6, 2}));
              }),
              HasSubstr("grids with equal numbers of positions must be equal"));
}

TEST(Positions, ThatAreWantedAreOfOpenSize) {
  BuildState source = resize(PositionStrategy::truncate).to_source(initial_positions({1, 3, 2}));
  EXPECT_TRUE(source.arrays.at(kPositions).value().has_open_dims);
}

BuildState linear(const std::string& name, float first) {
  return built_state({{"model/" + name + "/bias", numbers({first})},
                      {"model/" + name + "/weight", numbers({first + 1, first + 2})}});
}
BuildState with_learner(BuildState state) {
  state.arrays["prng_key"] = StateArray{.type = {u32, {2}}};
  state.arrays["learner/mu"] = StateArray{.type = {f32, {2}}};
  return state;
}
BuildState initial_linear(const std::string& name) {
  return initial_state({{"model/" + name + "/bias", numbers({-1})},
                        {"model/" + name + "/weight", numbers({-2, -3})}});
}

TEST(Scopes, RestoreParametersAndNothingElse) {
  StateConverter all = scopes({{"", ""}});
  BuildState target = with_learner(initial_linear("linear"));
  BuildState wanted = all.to_source(target);
  EXPECT_THAT(paths(wanted), ElementsAre("model/linear/bias", "model/linear/weight"));
  EXPECT_THAT(built_paths(wanted), IsEmpty());
  BuildState out = all.to_target(linear("linear", 5), target);
  EXPECT_THAT(built_paths(out), ElementsAre("model/linear/bias", "model/linear/weight"));
  EXPECT_THAT(value_of(out, "model/linear/weight"), ElementsAre(6, 7));
}

TEST(Scopes, OfTheTargetHoldAWholeSource) {
  BuildState out =
      converted(scopes({{"nested", ""}}), linear("linear", 5), initial_linear("nested/linear"));
  EXPECT_THAT(value_of(out, "model/nested/linear/bias"), ElementsAre(5));
}

TEST(Scopes, AreRenamed) {
  BuildState target = initial_linear("linear2");
  for (const StateConverter& converter :
       {scopes({{"linear2", "linear"}}),
        scopes({{"linear2/bias", "linear/bias"}, {"linear2/weight", "linear/weight"}})}) {
    BuildState out = converted(converter, linear("linear", 5), target);
    EXPECT_THAT(value_of(out, "model/linear2/bias"), ElementsAre(5));
    EXPECT_THAT(value_of(out, "model/linear2/weight"), ElementsAre(6, 7));
  }
}

TEST(Scopes, LeaveWhatIsInNone) {
  StateConverter only_weight = scopes({{"linear2/weight", "linear/weight"}});
  BuildState target = initial_linear("linear2");
  EXPECT_THAT(paths(only_weight.to_source(target)), ElementsAre("model/linear/weight"));
  BuildState out = only_weight.to_target(linear("linear", 5), target);
  EXPECT_THAT(value_of(out, "model/linear2/weight"), ElementsAre(6, 7));
  EXPECT_THAT(value_of(out, "model/linear2/bias"), ElementsAre(-1));
}

TEST(Scopes, OfTheSourceMayBeUsedTwice) {
  BuildState source = linear("model/linear", 5);
  source.arrays["model/model/linear2"] = linear("linear2", 20).arrays.at("model/linear2");
  BuildState target = initial_linear("linear");
  target.arrays["model/child/linear"] = initial_linear("linear").arrays.at("model/linear");
  const std::vector<std::vector<Scope>> cases = {
      {{"linear", "model/linear"}, {"child", "model"}},
      {{"linear/bias", "model/linear/bias"}, {"child", "model"}},
      {{"linear/bias", "model/linear/bias"}, {"child/linear", "model/linear"}, {"child", "model"}},
      {{"linear/bias", "model/linear/bias"}, {"child", "model"}, {"child/linear", "model/linear"}},
      {{"child/linear", "model/linear"}, {"linear", "model/linear"}},
      {{"child/linear", "model/linear"}, {"linear/bias", "model/linear/bias"}},
      {{"child", "model"}, {"linear/bias", "model/linear/bias"}}};
  for (const std::vector<Scope>& one : cases) {
    BuildState out = converted(scopes(one), source, target);
    EXPECT_THAT(value_of(out, "model/linear/bias"), ElementsAre(5));
    EXPECT_THAT(value_of(out, "model/child/linear/bias"), ElementsAre(5));
    EXPECT_THAT(value_of(out, "model/child/linear/weight"), ElementsAre(6, 7));
  }
  BuildState out = converted(
      scopes({{"linear", "model/linear"}, {"child/linear", "model/linear2"}}), source, target);
  EXPECT_THAT(value_of(out, "model/linear/weight"), ElementsAre(6, 7));
  EXPECT_THAT(value_of(out, "model/child/linear/weight"), ElementsAre(21, 22));
}

TEST(Scopes, ThatDoNotExistAreNamed) {
  EXPECT_THAT(message_of([] {
                scopes({{"lineer", ""}}).to_source(initial_linear("linear"));
              }),
              HasSubstr("no parameters below 'lineer'"));
}

TEST(Scopes, OneArrayCannotBecomeTwoTypes) {
  BuildState target = initial_state({{"model/a", numbers({1})}, {"model/b", numbers({1, 2})}});
  EXPECT_THAT(message_of([&] {
                scopes({{"a", "x"}, {"b", "x"}}).to_source(target);
              }),
              HasSubstr("'model/x' of the source is requested as f32[2] and as f32[1]"));
}

TEST(Rename, ExpandsGroupsOfTheFirstRuleThatMatches) {
  StateConverter rules = rename({{Regex("model/(.*)/w"), "model/\\1/weight"},
                                 {Regex("model/head/.*"), std::nullopt},
                                 {Regex("model/copy"), "model/a/weight"}});
  BuildState target = initial_state({{"model/a/w", numbers({-1})},
                                     {"model/copy", numbers({-1})},
                                     {"model/head/b", numbers({-1})},
                                     {"model/same", numbers({-1})}});
  EXPECT_THAT(paths(rules.to_source(target)), ElementsAre("model/a/weight", "model/same"));
  BuildState out = rules.to_target(
      built_state({{"model/a/weight", numbers({1})}, {"model/same", numbers({2})}}), target);
  EXPECT_THAT(value_of(out, "model/a/w"), ElementsAre(1));
  EXPECT_THAT(value_of(out, "model/copy"), ElementsAre(1));
  EXPECT_THAT(value_of(out, "model/same"), ElementsAre(2));
  EXPECT_THAT(value_of(out, "model/head/b"), ElementsAre(-1));
}

TEST(Rename, RefusesRulesThatDecideAboutNothing) {
  StateConverter rules = rename({{Regex("model/.*"), "old/\\0"}, {Regex("model/a"), std::nullopt}});
  EXPECT_THAT(message_of([&] {
                rules.to_source(initial_state({{"model/a", numbers({1})}}));
              }),
              HasSubstr("the rule 'model/a' in names matches no array"));
}

const BuildState kWithAverages = built_state({{"learner/ema/linear", numbers({-1})},
                                              {"model/linear", numbers({4})},
                                              {"prng_key", numbers({1, 2})}});

TEST(EmaParams, BecomeParametersAndAverages) {
  BuildState target = initial_state({{"learner/count", numbers({0})},
                                     {"learner/ema/linear", numbers({0})},
                                     {"model/linear", numbers({9})}});
  EXPECT_THAT(paths(ema_params().to_source(target)), ElementsAre("learner/ema/linear"));
  BuildState out = converted(ema_params(), kWithAverages, target);
  EXPECT_THAT(value_of(out, "model/linear"), ElementsAre(-1));
  EXPECT_THAT(value_of(out, "learner/ema/linear"), ElementsAre(-1));
  EXPECT_THAT(built_paths(out), ElementsAre("learner/ema/linear", "model/linear"));
}

TEST(EmaParams, BecomeParametersOfALearnerWithoutAveragesAndWithoutALearner) {
  BuildState target =
      initial_state({{"learner/count", numbers({0})}, {"model/linear", numbers({9})}});
  BuildState out = converted(ema_params(), kWithAverages, target);
  EXPECT_THAT(value_of(out, "model/linear"), ElementsAre(-1));
  EXPECT_THAT(built_paths(out), ElementsAre("model/linear"));
  out = converted(ema_params(), kWithAverages, initial_state({{"model/linear", numbers({9})}}));
  EXPECT_THAT(value_of(out, "model/linear"), ElementsAre(-1));
}

}  // namespace
}  // namespace meshwright::train
