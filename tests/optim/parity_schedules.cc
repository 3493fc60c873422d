// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/reference_schedules.h"
#include "parity_case.h"

namespace meshwright::optim {
namespace {

std::vector<ScheduleCase> plain_cases() {
  PolynomialOptions line{.begin_step = 3, .begin_value = 0.2, .end_step = 13, .end_value = 1.5};
  PolynomialOptions curve = line;
  curve.power = 2.5;
  return {
      {"constant", constant(0.3)},
      {"linear", polynomial(line)},
      {"polynomial", polynomial(curve)},
      {"polynomial_of_no_length", polynomial({.begin_step = 3, .begin_value = 7, .end_step = 3})},
      {"exponential", exponential(line)},
      {"inverse_sqrt", inverse_sqrt(7)},
      {"cosine_decay", cosine_decay(0.3, 17, 0.1)},
      {"axlearn_adafactor",
       adafactor_schedule({.scale = 2, .warmup_steps = 9, .decay_power = -0.6, .step_offset = 1})},
      {"adafactor_decay_rate", adafactor_decay_rate(0.7, 4)},
      {"decay_bias_correction", decay_bias_correction(0.9)},
      {"ema_schedule", ema_schedule(0.9, 6, 2)},
      {"piecewise_constant", piecewise_constant(2, {{5, 0.5}, {11, 0.1}})},
  };
}

std::vector<ScheduleCase> joined_cases() {
  WarmupOptions warmup{.peak = 0.4, .max_step = 25, .warmup_steps = 6, .begin_value = 0.1};
  WarmupOptions none = warmup;
  none.warmup_steps = 0;
  Schedule line = polynomial({.begin_value = 1, .end_step = 10, .end_value = 2});
  return {
      {"stepwise", stepwise({line, constant(0.5), line}, {4, 9})},
      {"segment_wise", segment_wise({line, constant(0.5), line}, {4, 5})},
      {"warmup_cosine", warmup_cosine(warmup, 0.1)},
      {"cosine_without_warmup", warmup_cosine(none)},
      {"warmup_level_cosine", warmup_cosine(warmup, 0.05, 12)},
      {"warmup_constant", warmup_constant(warmup)},
      {"warmup_linear", warmup_linear(warmup, 0.05)},
      {"warmup_stable_decay", warmup_stable_decay(warmup, 15, 0.2)},
      {"optax_warmup_cosine", parity_rate(0.4)},
      {"seqax", warmup_cosine_cyclic(warmup, 0.1)},
  };
}

std::vector<ScheduleCase> t5x_cases() {
  auto of = [](std::string factors) {
    return t5x_schedule({.factors = std::move(factors),
                         .base_learning_rate = 0.7,
                         .warmup_steps = 6,
                         .decay_factor = 0.03,
                         .steps_per_decay = 5,
                         .steps_per_cycle = 13,
                         .step_offset = 2,
                         .min_learning_rate = 1e-3});
  };
  return {
      {"t5x_rsqrt", of("constant * linear_warmup * rsqrt_decay")},
      {"t5x_normalized", of("constant*linear_warmup*rsqrt_normalized_decay")},
      {"t5x_linear", of("linear_decay")},
      {"t5x_every", of("constant * decay_every")},
      {"t5x_cosine", of("constant * linear_warmup * cosine_decay")},
  };
}

std::vector<ScheduleCase> big_vision_cases() {
  BigVisionScheduleOptions all{.total_steps = 30,
                               .base = 0.5,
                               .warmup_steps = 5,
                               .cooldown_steps = 7,
                               .scale_with_batch_size = 512,
                               .linear_end = 0.05,
                               .power = 2,
                               .timescale = 9,
                               .shift = 3,
                               .steps = {4, 11},
                               .mults = {0.5, 0.25}};
  std::vector<ScheduleCase> out;
  auto add = [&](std::string name, BigVisionDecay decay) {
    all.decay = decay;
    out.push_back({std::move(name), big_vision_schedule(all)});
  };
  add("big_vision_stair", BigVisionDecay::stair);
  add("big_vision_cosine", BigVisionDecay::cosine);
  add("big_vision_polynomial", BigVisionDecay::polynomial);
  add("big_vision_rsqrt", BigVisionDecay::rsqrt);
  add("big_vision_rsqrt_2023", BigVisionDecay::rsqrt_2023);
  return out;
}

}  // namespace

Schedule parity_rate(double peak) {
  return warmup_cosine({.peak = peak, .max_step = 30, .warmup_steps = 5});
}

std::vector<ScheduleCase> schedule_cases() {
  std::vector<ScheduleCase> out;
  for (const auto& family : {plain_cases(), joined_cases(), t5x_cases(), big_vision_cases()})
    out.insert(out.end(), family.begin(), family.end());
  return out;
}

}  // namespace meshwright::optim
