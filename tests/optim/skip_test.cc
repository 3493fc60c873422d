// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/transforms/skip.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/optim/transforms/momentum.h"
#include "meshwright/optim/transforms/optim_testutil.h"
#include "meshwright/optim/transforms/scale.h"
#include "run_updates.h"

namespace meshwright::optim {
namespace {

using ::testing::ElementsAre;

const float kNan = std::numeric_limits<float>::quiet_NaN();

HostTree tree_of(const std::vector<float>& values) {
  HostTree out;
  out["w"] = HostTensor::from(values, {std::ssize(values)});
  return out;
}

Updates run(const ClipOptions& clip,
            const std::vector<HostTree>& gradients,
            const SkipOptions& skip = {}) {
  ParamSpecs specs;
  specs["w"] = spec_of({2}, "embed");
  Transform inner = chain({momentum({.decay = 0.5}), scale_by_learning_rate(constant(1))});
  return run_updates(Learner(learn_by(skip_and_clip(inner, clip, skip)), specs), tree_of({0, 0}),
                     gradients);
}

std::vector<float> floats(const HostTree& tree, std::string_view path) {
  auto values = tree.at(path).value().values<float>();
  return {values.begin(), values.end()};
}

TEST(SkipAndClip, LeavesParametersAndSlotsAloneWhereTheGradientIsBad) {
  Updates out = run({.drop_norm = 10.0},
                    {tree_of({3, 4}), tree_of({kNan, 1}), tree_of({30, 40}), tree_of({1, 1})});
  EXPECT_THAT(floats(out.params_after[2], "w"), ElementsAre(-3.0f, -4.0f));
  EXPECT_THAT(floats(out.params, "w"), ElementsAre(-5.5f, -7.0f));  // momentum 2.5, 3
  EXPECT_EQ(out.state.at("optimizer/count").value().to_doubles()[0], 2);
  EXPECT_EQ(out.summaries[3]["nonvalid_count"], 2);
  EXPECT_EQ(out.summaries[3]["lr_schedule_step"], 2);
  EXPECT_EQ(out.state.at("count").value().to_doubles()[0], 4);
}

TEST(SkipAndClip, ClipsWhatItKeeps) {
  Updates out = run({.max_norm = 1.0}, {tree_of({30, 40})});
  EXPECT_NEAR(floats(out.params, "w")[0], -0.6, 1e-6);
  EXPECT_NEAR(out.summaries[0]["gradient_scale"], 0.02, 1e-6);
}

TEST(SkipAndClip, FollowsTheNormsSeen) {
  SkipOptions options{.adaptive = AdaptiveDrop{.decay = 0.9, .multipliers = {4}}};
  // The averages start at 1, so 3 is below the limit; then the first is 3, and 80 exceeds it.
  Updates out = run({}, {tree_of({3, 0}), tree_of({0, 80}), tree_of({0, 7})}, options);
  EXPECT_EQ(out.summaries[1]["nonvalid_count"], 1);
  EXPECT_EQ(out.summaries[2]["nonvalid_count"], 1);
  EXPECT_EQ(out.state.at("optimizer/exceeds/4x_mean").value().to_doubles()[0], 1);
  // 3 and 7, the older one times 0.9: (2.7 + 7) / 1.9.
  EXPECT_NEAR(out.summaries[2]["gradient_norm_ema"], 9.7 / 1.9, 1e-5);
}

TEST(SkipAndClip, WaitsUntilADeviationIsKnown) {
  SkipOptions options{.adaptive =
                          AdaptiveDrop{.decay = 0.9, .multipliers = {2}, .stddev_after = 2}};
  Updates out =
      run({}, {tree_of({3, 0}), tree_of({5, 0}), tree_of({4, 0}), tree_of({9, 0})}, options);
  EXPECT_EQ(out.summaries[2]["nonvalid_count"], 0);
  EXPECT_EQ(out.summaries[3]["nonvalid_count"], 1);
}

}  // namespace
}  // namespace meshwright::optim
