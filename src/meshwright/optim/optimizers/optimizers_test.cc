// SPDX-License-Identifier: Apache-2.0
// Slots and error messages. tests/optim checks the values of updates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/optim/learner/big_vision.h"
#include "meshwright/optim/optimizers/adamw.h"
#include "meshwright/optim/optimizers/axlearn_adafactor.h"
#include "meshwright/optim/optimizers/muon.h"
#include "meshwright/optim/optimizers/optax_adafactor.h"
#include "meshwright/optim/optimizers/t5x_adafactor.h"
#include "meshwright/optim/schedules/reference_schedules.h"
#include "meshwright/optim/transforms/adam_moments.h"
#include "meshwright/optim/transforms/by_label.h"
#include "meshwright/optim/transforms/decay.h"
#include "meshwright/optim/transforms/ema.h"
#include "meshwright/optim/transforms/optim_testutil.h"

namespace meshwright::optim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ParamSpec slot(const Transform& transform, const ParamSpecs& params, std::string_view path) {
  return slot_specs(transform, params).at(path).value();
}

ParamSpecs one(Dims dims, std::string_view axes, std::vector<FactorRole> roles = {}) {
  ParamSpecs out;
  ParamSpec spec = spec_of(std::move(dims), axes);
  spec.factorization = std::move(roles);
  out["w"] = spec;
  return out;
}

TEST(AxlearnAdafactor, FactorsWhatDeclaresARowAndAColumn) {
  using enum FactorRole;
  Transform optimizer = axlearn_adafactor({.learning_rate = constant(1)});
  ParamSpecs declared = one({4, 16, 8}, "layers embed mlp", {none, row, col});
  EXPECT_THAT(slot(optimizer, declared, "factored_rms/v_row/w").axes, ElementsAre("layers", "mlp"));
  EXPECT_THAT(slot(optimizer, declared, "factored_rms/v_col/w").axes,
              ElementsAre("layers", "embed"));
  EXPECT_EQ(slot(optimizer, declared, "factored_rms/v/w").type.dims, Dims({1}));
  EXPECT_THAT(slot(optimizer, one({512, 512}, "embed mlp"), "factored_rms/v/w").axes,
              ElementsAre("embed", "mlp"));
  EXPECT_THAT(message_of([&] {
                slot_specs(optimizer, one({4, 8}, "a b", {row, none}));
              }),
              HasSubstr("'w' declares 1 rows and 0 columns"));
}

TEST(OptaxAdafactor, FactorsTheTwoLargestDimensions) {
  Transform optimizer =
      optax_adafactor({.learning_rate = constant(1), .min_dim_size_to_factor = 8});
  ParamSpecs large = one({16, 4, 8}, "embed heads mlp");
  EXPECT_THAT(slot(optimizer, large, "factored_rms/v_row/w").axes, ElementsAre("heads", "mlp"));
  EXPECT_THAT(slot(optimizer, large, "factored_rms/v_col/w").axes, ElementsAre("embed", "heads"));
  EXPECT_EQ(slot(optimizer, one({16, 4}, "embed heads"), "factored_rms/v_row/w").type.dims,
            Dims({1}));
}

TEST(T5xAdafactor, WantsToKnowWhatManyDimensionsAre) {
  T5xAdafactorOptions options{.learning_rate = constant(1)};
  auto slots = [&](const ParamSpecs& params) {
    return message_of([&] { slot_specs(t5x_adafactor(options), params); });
  };
  ParamSpecs heads = one({8, 4, 2}, "embed heads kv");
  EXPECT_THAT(slots(heads), HasSubstr("rows and columns are ambiguous"));
  options.axis_rules = t5x_axis_rules();
  EXPECT_EQ(slots(heads), "no error");
  EXPECT_THAT(slots(one({8, 4, 2}, "embd heads kv")),
              HasSubstr("no factor rule for axis 'embd' of 'w'; did you mean 'embed'?"));
  EXPECT_THAT(slots(one({8, 4, 2}, "embed heads relpos_buckets")),
              HasSubstr("have the roles row and column, but also the role none"));
}

TEST(T5xAdafactor, KeepsUnusedSlotsAsOneElement) {
  T5xAdafactorOptions options{.learning_rate = constant(1), .min_dim_size_to_factor = 4};
  ParamSpecs params = one({8, 4}, "embed mlp");
  EXPECT_EQ(slot(t5x_adafactor(options), params, "m/w").type.dims, Dims({1}));
  EXPECT_EQ(slot(t5x_adafactor(options), params, "v/w").type.dims, Dims({1}));
  EXPECT_EQ(slot(t5x_adafactor(options), params, "v_row/w").type.dims, Dims({4}));
  options.beta1 = 0.9;
  EXPECT_EQ(slot(t5x_adafactor(options), params, "m/w").type.dims, Dims({8, 4}));
}

TEST(Optimizers, FailWithoutALearningRate) {
  EXPECT_THAT(message_of([] { adamw({}); }), HasSubstr("no schedule is set"));
}

TEST(Muon, ServesMatricesAndLeavesTheRestToAdamW) {
  Transform optimizer = muon({.learning_rate = 1.0, .adamw_params = {".*/w_in"}});
  SlotSpecs slots = slot_specs(optimizer, example_specs());
  EXPECT_NE(slots.find("matrices/muon/mu/decoder/w_out"), nullptr);
  EXPECT_NE(slots.find("matrices/muon/mu/decoder/layers/w_q"), nullptr);
  EXPECT_NE(slots.find("rest/adam/mu/decoder/w_in"), nullptr);
  EXPECT_NE(slots.find("rest/adam/nu/decoder/bias"), nullptr);
  EXPECT_EQ(slots.find("rest/adam/mu/decoder/w_out"), nullptr);
}

TEST(Ema, KeepsIntegersWithAStepSizeForEachColumn) {
  Transform averaged = ema({.decay = constant(0.9), .dtype = DType::s8});
  SlotSpecs slots = slot_specs(averaged, one({8, 4}, "embed mlp"));
  EXPECT_EQ(slots.at("ema/w").value().type.dtype, DType::s8);
  EXPECT_THAT(slots.at("scale/w").value().axes, ElementsAre("mlp"));
  EXPECT_EQ(slot_specs(averaged, one({}, "")).at("ema/w").value().type.dtype, f32);
  EXPECT_THAT(message_of([] { ema({.decay = constant(0.9), .dtype = DType::s32}); }),
              HasSubstr("averages cannot be kept in s32"));
}

TEST(ByLabel, NamesAParameterWithoutATransform) {
  Transform mixed =
      by_label([](const std::string&, const ParamSpec&) { return "fast"; }, {{"slow", identity()}});
  EXPECT_THAT(message_of([&] { slot_specs(mixed, one({2}, "a")); }),
              HasSubstr("'w' is labelled 'fast', but no transform has this label"));
}

TEST(Decay, PrefersTheScaleThatAParameterDeclares) {
  WeightDecay decay{.rules = {{"w", 0.5}}, .otherwise = 2};
  DecayScales scales(decay);
  ParamSpec spec = spec_of({2});
  EXPECT_EQ(scales.of("w", spec), 0.5);
  EXPECT_EQ(scales.of("v", spec), 2);
  spec.weight_decay_scale = 0;
  EXPECT_EQ(scales.of("w", spec), 0);
  decay.use_declared = false;
  EXPECT_EQ(DecayScales(decay).of("w", spec), 0.5);
}

TEST(Decay, WantsTheLearningRateItIsToBeScaledBy) {
  EXPECT_THAT(message_of([] { add_decayed_weights({}, {.exponent = 1}); }),
              HasSubstr("exponent of the learning rate requires a learning rate"));
}

TEST(BigVision, WantsAScheduleForEveryParameter) {
  BigVisionOptions options{.scaling = identity(), .lr = 1, .schedules = {{"v", constant(1)}}};
  EXPECT_THAT(message_of([&] { big_vision_learner(options, one({2}, "a")); }),
              HasSubstr("these parameters match no schedule: w"));
  options.schedules = {{".*", constant(1)}};
  options.lr_mults = {{"w", 0.0}};
  EXPECT_THAT(message_of([&] { big_vision_learner(options, one({2}, "a")); }),
              HasSubstr("lr_mults must be positive, got 0 for 'w'"));
}

TEST(BigVision, FreezesWhatHasNoSchedule) {
  BigVisionOptions options{
      .scaling = scale_by_adam(), .lr = 1, .schedules = {{"w", std::nullopt}, {".*", constant(1)}}};
  ParamSpecs params = one({2}, "a");
  params["v"] = spec_of({2});
  LearnerOptions learning;
  learning.groups = {big_vision_learner(options, params)};
  Learner learner(learning, params);
  EXPECT_FALSE(learner.needs_gradient("w"));
  EXPECT_EQ(learner.state_specs().find("optimizer/adam/mu/w"), nullptr);
  EXPECT_NE(learner.state_specs().find("optimizer/adam/mu/v"), nullptr);
}

TEST(Schedules, RefuseWhatMakesNoSense) {
  EXPECT_THAT(message_of([] { polynomial({.begin = 5, .end = 4}); }),
              HasSubstr("begin_step 5 is after end_step 4"));
  EXPECT_THAT(message_of([] { exponential({.begin_value = 0, .end_value = 1}); }),
              HasSubstr("must be positive"));
  EXPECT_THAT(message_of([] { stepwise({constant(1)}, {3}); }), HasSubstr("one fewer"));
  EXPECT_THAT(message_of([] {
                segment_wise({constant(1), constant(2)}, {-1});
              }),
              HasSubstr("negative"));
  EXPECT_THAT(message_of([] { warmup_cosine({.end = 5, .warmup = 5}); }),
              HasSubstr("would begin at step 5 and end at max_step 5"));
  EXPECT_THAT(message_of([] { warmup_stable_decay({.end = 5, .warmup = 3}, 2); }),
              HasSubstr("must not decrease"));
  EXPECT_THAT(message_of([] { t5x_schedule({.factors = "constant * linear_warmp"}); }),
              HasSubstr("unknown factor 'linear_warmp'; did you mean 'linear_warmup'?"));
  EXPECT_THAT(message_of([] { big_vision_schedule({.warmup = 5}, {.total_steps = 5}); }),
              HasSubstr("warmup_steps 5 is not below total_steps 5"));
}

}  // namespace
}  // namespace meshwright::optim
