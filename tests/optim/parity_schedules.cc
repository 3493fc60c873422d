// SPDX-License-Identifier: Apache-2.0
#include "parity_case.h"

namespace meshwright::optim {
namespace {

std::vector<ScheduleCase> plain_cases() {
  PolynomialConfig line{.begin = 3, .begin_value = 0.2, .end = 13, .end_value = 1.5};
  PolynomialConfig curve = line;
  curve.power = 2.5;
  return {
      {"constant", constant(0.3)},
      {"linear", polynomial(line)},
      {"polynomial", polynomial(curve)},
      {"polynomial_of_no_length", polynomial({.begin = 3, .begin_value = 7, .end = 3})},
      {"exponential", exponential({.begin = 3, .begin_value = 0.2, .end = 13, .end_value = 1.5})},
      {"inverse_sqrt", inverse_sqrt(7)},
      {"cosine_decay", cosine_decay(0.3, 17, 0.1)},
      {"adafactor",
       adafactor_schedule({.scale = 2, .warmup = 9, .decay_power = -0.6, .step_offset = 1})},
      {"adafactor_decay_rate", adafactor_decay_rate(0.7, 4)},
      {"decay_bias_correction", decay_bias_correction(0.9)},
      {"ema_schedule", ema_schedule(0.9, 6, 2)},
  };
}

std::vector<ScheduleCase> joined_cases() {
  WarmupConfig warmup{.peak = 0.4, .end = 25, .warmup = 6, .begin_value = 0.1};
  WarmupConfig none = warmup;
  none.warmup = 0;
  Schedule line = polynomial({.begin_value = 1, .end = 10, .end_value = 2});
  return {
      {"stepwise", stepwise({line, constant(0.5), line}, {4, 9})},
      {"segment_wise", segment_wise({line, constant(0.5), line}, {4, 5})},
      {"warmup_cosine", warmup_cosine(warmup, 0.1)},
      {"cosine_without_warmup", warmup_cosine(none)},
      {"warmup_level_cosine", warmup_cosine(warmup, 0.05, 12)},
      {"warmup_constant", warmup_constant(warmup)},
      {"warmup_linear", warmup_linear(warmup, 0.05)},
      {"warmup_stable_decay", warmup_stable_decay(warmup, 15, 0.2)},
  };
}

}  // namespace

Schedule parity_rate(double peak) {
  return warmup_cosine({.peak = peak, .end = 30, .warmup = 5});
}

std::vector<ScheduleCase> axlearn_schedule_cases() {
  std::vector<ScheduleCase> out = plain_cases();
  const std::vector<ScheduleCase> joined = joined_cases();
  out.insert(out.end(), joined.begin(), joined.end());
  for (ScheduleCase& what : out)
    what.name = "axlearn_" + what.name;
  return out;
}

std::vector<ScheduleCase> optax_schedule_cases() {
  return {
      {"optax_linear", polynomial({.begin = 3, .begin_value = 0.2, .end = 13, .end_value = 1.5})},
      {"optax_cosine_decay", cosine_decay(0.3, 17, 0.1)},
      {"optax_warmup_cosine", parity_rate(0.4)},
      {"piecewise_constant", piecewise_constant(2, {{5, 0.5}, {11, 0.1}})},
  };
}

std::vector<ScheduleCase> seqax_schedule_cases() {
  const WarmupConfig warmup{.peak = 0.4, .end = 25, .warmup = 6};
  return {{"seqax_cosine", warmup_cosine_cyclic(warmup, 0.1)}};
}

}  // namespace meshwright::optim
