// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/schedules/phased_schedules.h"

#include <cmath>
#include <numbers>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"

namespace meshwright::optim {

using graph::clamp;
using graph::exp;
using graph::minimum;
using graph::pow;
using graph::where;

namespace {

struct Line {
  double begin_step = 0;
  double begin_value = 0;
  double end_step = 1;
  double end_value = 0;
};

Schedule curve(const Line& l, double power = 1) {
  MW_CHECK(l.begin_step <= l.end_step, "polynomial: begin_step ", l.begin_step,
           " is after end_step ", l.end_step);
  if (l.begin_step == l.end_step) return constant(l.begin_value);
  return [l, power](Value step) {
    Value fraction = clamp(0.0, (step - l.begin_step) / (l.end_step - l.begin_step), 1.0);
    if (power != 1) fraction = pow(fraction, power);
    return l.begin_value + fraction * (l.end_value - l.begin_value);
  };
}

double warmup_steps(const WarmupConfig& o, const RunLength& run) {
  return steps_of(o.warmup, run, "warmup");
}

Schedule rising(const WarmupConfig& o, double num_steps) {
  return curve({.begin_value = o.begin_value, .end_step = num_steps, .end_value = o.peak});
}

}  // namespace

double end_of(const std::optional<DurationConfig>& end, const RunLength& run) {
  if (end) return steps_of(*end, run, "end");
  MW_CHECK(run.total_steps, "schedule: `end` is not set and the run has no number of steps");
  return static_cast<double>(*run.total_steps);
}

Schedule polynomial(const PolynomialConfig& o, const RunLength& run) {
  return curve({.begin_step = steps_of(o.begin, run, "begin"),
                .begin_value = o.begin_value,
                .end_step = end_of(o.end, run),
                .end_value = o.end_value},
               o.power);
}

Schedule exponential(const ExponentialConfig& o, const RunLength& run) {
  MW_CHECK(o.begin_value > 0 && o.end_value > 0, "exponential: begin_value ", o.begin_value,
           " and end_value ", o.end_value, " must be positive");
  const double begin = steps_of(o.begin, run, "begin"), end = end_of(o.end, run);
  MW_CHECK(begin < end, "exponential: begin_step ", begin, " is not before end_step ", end);
  const Schedule line = curve({.begin_step = begin,
                               .begin_value = std::log(o.begin_value),
                               .end_step = end,
                               .end_value = std::log(o.end_value)});
  return [line](Value step) { return exp(line(step)); };
}

Schedule adafactor_schedule(const AdafactorScheduleConfig& options, const RunLength& run) {
  const double warmup = steps_of(options.warmup, run, "warmup");
  return [o = options, warmup](Value step) {
    Value at = step + o.step_offset;
    Value to_peak = at * std::pow(warmup, o.decay_power - 1);
    return o.scale * minimum(to_peak, pow(at, o.decay_power));
  };
}

Schedule warmup_cosine(const WarmupConfig& o,
                       double alpha,
                       const std::optional<DurationConfig>& decay_begin,
                       const RunLength& run) {
  const double warmup = warmup_steps(o, run), end = end_of(o.end, run);
  const double level_until = decay_begin ? steps_of(*decay_begin, run, "decay_begin") : 0;
  std::vector<Schedule> parts;
  std::vector<double> lengths;
  double before_decay = warmup;
  if (warmup > 0) {
    parts.push_back(rising(o, warmup));
    lengths.push_back(warmup);
  }
  if (level_until > warmup) {
    parts.push_back(constant(o.peak));
    lengths.push_back(level_until - warmup);
    before_decay = level_until;
  }
  MW_CHECK(before_decay < end, "warmup_cosine: the decay would begin at step ", before_decay,
           " and end at max_step ", end);
  parts.push_back(cosine_decay(o.peak, end - before_decay, alpha));
  return segment_wise(parts, lengths);
}

Schedule warmup_constant(const WarmupConfig& o, const RunLength& run) {
  const double warmup = warmup_steps(o, run);
  return segment_wise({rising(o, warmup), constant(o.peak)}, {warmup});
}

Schedule warmup_linear(const WarmupConfig& o, double end_value, const RunLength& run) {
  const double warmup = warmup_steps(o, run), end = end_of(o.end, run);
  MW_CHECK(warmup <= end, "warmup_linear: warmup_steps ", warmup, " is after max_step ", end);
  const Schedule down =
      curve({.begin_value = o.peak, .end_step = end - warmup, .end_value = end_value});
  return segment_wise({rising(o, warmup), down}, {warmup});
}

Schedule warmup_stable_decay(const WarmupConfig& o,
                             const DurationConfig& decay_begin,
                             double alpha,
                             const RunLength& run) {
  const double warmup = warmup_steps(o, run), end = end_of(o.end, run);
  const double stable_until = steps_of(decay_begin, run, "decay_begin");
  MW_CHECK(warmup <= stable_until && stable_until <= end, "warmup_stable_decay: warmup_steps ",
           warmup, ", decay_begin_step ", stable_until, " and max_step ", end,
           " must not decrease");
  const Schedule down =
      curve({.begin_value = o.peak, .end_step = end - stable_until, .end_value = o.peak * alpha});
  return segment_wise({rising(o, warmup), constant(o.peak), down}, {warmup, stable_until - warmup});
}

Schedule warmup_cosine_cyclic(const WarmupConfig& o, double final_fraction, const RunLength& run) {
  const double warmup = warmup_steps(o, run), end = end_of(o.end, run);
  MW_CHECK(warmup < end, "warmup_cosine_cyclic: warmup_steps ", warmup, " is not before max_step ",
           end);
  return [peak = o.peak, warmup, end, final_fraction](Value step) {
    Value part = (step - warmup) / (end - warmup);
    Value cosine = graph::cos(part * std::numbers::pi);
    Value decay = peak * (final_fraction + (1 - final_fraction) * 0.5 * (1.0 + cosine));
    if (warmup == 0) return decay;
    return where(step < warmup, (step / warmup) * peak, decay);
  };
}

Schedule PolynomialConfig::make(const RunLength& run) const {
  return polynomial(*this, run);
}
Schedule ExponentialConfig::make(const RunLength& run) const {
  return exponential(*this, run);
}
Schedule AdafactorScheduleConfig::make(const RunLength& run) const {
  return adafactor_schedule(*this, run);
}
Schedule WarmupCosineConfig::make(const RunLength& run) const {
  return warmup_cosine(*this, alpha, decay_begin, run);
}
Schedule WarmupConstantConfig::make(const RunLength& run) const {
  return warmup_constant(*this, run);
}
Schedule WarmupLinearConfig::make(const RunLength& run) const {
  return warmup_linear(*this, end_value, run);
}
Schedule WarmupStableDecayConfig::make(const RunLength& run) const {
  return warmup_stable_decay(*this, decay_begin, alpha, run);
}
Schedule CyclicCosineConfig::make(const RunLength& run) const {
  return warmup_cosine_cyclic(*this, final_fraction, run);
}

}  // namespace meshwright::optim
