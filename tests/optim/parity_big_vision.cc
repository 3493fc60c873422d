// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "meshwright/config/config.h"
#include "meshwright/optim/learner/big_vision.h"
#include "meshwright/optim/optimizers/big_vision_scaling.h"
#include "meshwright/optim/optimizers/lion.h"
#include "meshwright/optim/schedules/reference_schedules.h"
#include "meshwright/optim/schedules/schedule_config.h"
#include "meshwright/optim/transforms/adam_moments.h"
#include "meshwright/optim/transforms/momentum.h"
#include "parity_case.h"

namespace meshwright::optim {
namespace {

using Rules = std::vector<ScaleRule>;

Schedule schedule(const BigVisionScheduleConfig& options) {
  return big_vision_schedule(options, {.total_steps = 30});
}

Schedule cosine(double peak = 1) {
  return schedule({.base = peak, .decay_type = BigVisionDecay::cosine, .warmup = 5});
}

ParityCase of(std::string name, BigVisionOptions options, const ParamSpecs& specs) {
  if (options.schedules.empty()) options.schedules = {{".*", cosine()}};
  LearnerOptions learner;
  learner.groups = {big_vision_learner(options, specs)};
  return {"big_vision_" + std::move(name), learner};
}

std::vector<ParityCase> adafactors(const ParamSpecs& specs) {
  BigVisionAdafactorOptions by_f32{.min_dim_size_to_factor = 7,
                                   .decay_rate = 0.6,
                                   .momentum = 0.8,
                                   .momentum_dtype = f32,
                                   .eps = 1e-3};
  return {
      of("adafactor",
         {.scaling = scale_by_big_vision_adafactor(
              {.min_dim_size_to_factor = 4, .beta2_cap = 0.8, .clipping_threshold = 1.0}),
          .lr = 0.05,
          .grad_clip_norm = 1.0,
          .wd = 0.01,
          .wd_mults = Rules{{".*/w_[a-z]+", 1.0}}},
         specs),
      of("adafactor_f32", {.scaling = scale_by_big_vision_adafactor(by_f32), .lr = 0.05}, specs),
      of("adafactor_no_momentum",
         {.scaling = scale_by_big_vision_adafactor(
              {.min_dim_size_to_factor = 4, .momentum = std::nullopt}),
          .lr = 0.05},
         specs),
  };
}

std::vector<ParityCase> adams(const ParamSpecs& specs) {
  const Schedule falling = schedule(
      {.decay_type = BigVisionDecay::polynomial, .warmup = 3, .cooldown = 12, .linear_end = 0.1});
  const Schedule by_root =
      schedule({.decay_type = BigVisionDecay::rsqrt, .warmup = 5, .cooldown = 10, .timescale = 8});
  return {
      of("adam",
         {.scaling = scale_by_adam({.mu_dtype = bf16}),
          .lr = 0.05,
          .grad_clip_norm = 1.0,
          .lr_mults = Rules{{"decoder/w_in", 3.0}, {"decoder/.*", 0.5}},
          .wd = 0.01,
          .wd_mults = Rules{{".*/w_in", 1.0}, {".*/w_[a-z]+", 0.5}},
          .schedules = {{".*norm", std::nullopt},
                        {".*/w_q", cosine(2)},
                        {"embed", falling},
                        {".*", cosine()}}},
         specs),
      of("adam_f32",
         {.scaling = scale_by_adam({.b1 = 0.8, .b2 = 0.95, .eps = 1e-6}),
          .lr = 0.05,
          .grad_clip_norm = 1.0,
          .wd = 0.1,
          .wd_mults = Rules{{".*", 1.0}},
          .schedules = {{"scale|embed", std::nullopt}, {".*", by_root}}},
         specs),
  };
}

std::vector<ParityCase> others(const ParamSpecs& specs) {
  const Rules all{{".*", 1.0}};
  const Schedule stair =
      schedule({.decay_type = BigVisionDecay::stair, .steps = {4, 11}, .mults = {0.5, 0.25}});
  return {
      of("momentum_hp",
         {.scaling = momentum({.decay = 0.9, .dtype = bf16}),
          .lr = 0.05,
          .wd = 0.1,
          .wd_mults = all},
         specs),
      of("nesterov_f32",
         {.scaling = momentum({.decay = 0.8, .nesterov = true, .dtype = f32}), .lr = 0.05}, specs),
      of("lion",
         {.scaling = scale_by_lion({.b1 = 0.95, .b2 = 0.98}),
          .lr = 0.01,
          .wd = 0.1,
          .wd_mults = all},
         specs),
      of("sgd",
         {.scaling = identity(),
          .lr = 0.05,
          .grad_clip_norm = 0.5,
          .wd = 0.01,
          .schedules = {{".*", stair}}},
         specs),
  };
}

struct ScheduleTable {
  ScheduleConfig schedule;
  void fields(auto& f) { f.required("schedule", schedule, "for tests"); }
};

Schedule from_config(const std::string& keys) {
  const RunLength run{
      .total_steps = 150, .batch_examples = 64, .epoch_examples = [] { return 640; }};
  const std::string toml = "schedule = { type = 'big_vision', " + keys + " }";
  return make_schedule(config::from_toml<ScheduleTable>(toml).schedule, run);
}

}  // namespace

std::vector<ParityCase> big_vision_cases(const ParamSpecs& specs) {
  std::vector<ParityCase> out;
  for (const auto& family : {adafactors(specs), adams(specs), others(specs)})
    out.insert(out.end(), family.begin(), family.end());
  return out;
}

std::vector<ScheduleCase> big_vision_schedule_cases() {
  using enum BigVisionDecay;
  const BigVisionScheduleConfig all{.base = 0.5,
                                    .warmup = 5,
                                    .cooldown = 7,
                                    .scale_with_batchsize = true,
                                    .timescale = 9,
                                    .shift = 3,
                                    .steps = {4, 11, 90},
                                    .mults = {0.5, 0.25, 0.1}};
  const RunLength run{.total_steps = 150, .batch_examples = 512};
  std::vector<ScheduleCase> out;
  auto add = [&](std::string name, BigVisionDecay decay, BigVisionScheduleConfig options) {
    options.decay_type = decay;
    out.push_back({"big_vision_" + std::move(name), big_vision_schedule(options, run)});
  };
  add("stair", stair, all);
  add("cosine", cosine, all);
  add("linear", polynomial, all);
  add("rsqrt", rsqrt, all);
  add("rsqrt_2023", rsqrt_2023, all);
  BigVisionScheduleConfig curve = all;
  curve.power = 2;
  curve.linear_end = 0.05;
  add("polynomial", polynomial, curve);
  add("linear_end", polynomial, {.base = 0.5, .linear_end = 0.05});
  add("rsqrt_default", rsqrt, {.base = 0.5, .warmup = 20, .cooldown = 30});
  out.push_back({"big_vision_epochs", from_config("decay_type = 'cosine', base = 0.5, "
                                                  "warmup = '2 epochs', "
                                                  "cooldown = '1280 examples'")});
  out.push_back({"big_vision_percent", from_config("decay_type = 'rsqrt', base = 0.5, "
                                                   "warmup = '10%', cooldown = '20%', "
                                                   "timescale = '3 epochs'")});
  return out;
}

}  // namespace meshwright::optim
