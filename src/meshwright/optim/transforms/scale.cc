// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/transforms/scale.h"

#include <map>
#include <utility>

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"

namespace meshwright::optim {

using graph::equal;
using graph::logical_or;
using graph::maximum;
using graph::sqrt;
using graph::where;

namespace {

// Returns the factor of one update. If null, the factor is 1.
using FactorOf = std::function<Value(
    const UpdateContext&, PendingUpdates&, const std::string& path, const ParamSpec& spec)>;

void scale_each(const UpdateContext& context, PendingUpdates& updates, const FactorOf& factor) {
  for_each(context.specs, [&](const std::string& path, const ParamSpec& spec) {
    Value own = factor(context, updates, path, spec);
    if (!own.is_null()) updates.add_step(path, kernels::scale_step(own));
  });
}

void scale_all(const UpdateContext& context, PendingUpdates& updates, Value factor) {
  scale_each(context, updates, [&](const auto&...) { return factor; });
}

Transform scaling(std::string name, FactorOf factor) {
  auto steps = [factor = std::move(factor)](const UpdateContext& context, PendingUpdates& updates,
                                            const std::string&) {
    scale_each(context, updates, factor);
  };
  return {.name = std::move(name), .steps = steps};
}

// Returns the step of this update, where the first update is first_step.
Value schedule_step(const UpdateContext& context, int first_step) {
  return context.count + first_step;
}

// Returns the square root, but at least min_norm.
Value norm_at_least(Value sum_of_squares, double min_norm) {
  Value norm = sqrt(sum_of_squares);
  return min_norm > 0 ? maximum(norm, min_norm) : norm;
}

}  // namespace

Transform scale(double factor) {
  auto steps = [factor](const UpdateContext& context, PendingUpdates& updates, const std::string&) {
    SharedScalars numbers;
    scale_each(context, updates, [&](const auto&, const auto&, const auto&, const ParamSpec& spec) {
      return numbers(factor, spec);
    });
  };
  return {.name = "scale", .steps = steps};
}

Transform scale_by_learning_rate(Schedule learning_rate, const LearningRateOptions& options) {
  auto steps = [learning_rate = std::move(learning_rate), options](
                   const UpdateContext& context, PendingUpdates& updates, const std::string&) {
    Value step = schedule_step(context, options.first_step);
    Value rate = learning_rate(graph::cast(step, f32));
    context.summaries["learning_rate"] = rate;
    context.summaries["lr_schedule_step"] = step;
    scale_all(context, updates, options.negate ? -rate : rate);
  };
  return {.name = "learning_rate", .steps = steps};
}

Transform scale_by_schedule(Schedule schedule, int first_step, std::string name) {
  auto steps = [schedule = std::move(schedule), first_step, name](
                   const UpdateContext& context, PendingUpdates& updates, const std::string&) {
    Value step = schedule_step(context, first_step);
    Value factor = schedule(graph::cast(step, f32));
    context.summaries[name + "/schedule_step"] = step;
    context.summaries[name + "/schedule_scale"] = factor;
    scale_all(context, updates, factor);
  };
  return {.name = std::move(name), .steps = steps};
}

Transform scale_by_schedules(PathRules<Schedule> schedules, double lr) {
  auto steps = [schedules = std::move(schedules), lr](const UpdateContext& context,
                                                      PendingUpdates& updates, const std::string&) {
    Value step = graph::cast(schedule_step(context, 0), f32);
    std::map<const Schedule*, Value> factors;
    for (const auto& rule : schedules.rules()) {
      std::string number = schedules.rules().size() == 1 ? "" : str(factors.size());
      factors[&rule.value] = rule.value(step);
      context.summaries["global_schedule" + number] = factors[&rule.value];
      if (factors.size() == 1) context.summaries["learning_rate"] = factors[&rule.value] * lr;
    }
    scale_each(context, updates,
               [&](const auto&, const auto&, const std::string& path, const auto&) {
                 const Schedule* found = schedules.find(path);
                 return found == nullptr ? Value() : factors[found];
               });
  };
  return {.name = "schedules", .steps = steps};
}

Transform scale_per_param(PathRules<double> factors) {
  auto steps = [factors = std::move(factors)](const UpdateContext& context, PendingUpdates& updates,
                                              const std::string&) {
    SharedScalars numbers;
    scale_each(context, updates,
               [&](const auto&, const auto&, const std::string& path, const ParamSpec& spec) {
                 const double factor = factors.value_or(path, 1);
                 return factor == 1 ? Value() : numbers(factor, spec);
               });
  };
  return {.name = "scale_per_param", .steps = steps};
}

Transform scale_by_param_rms(double min_scale, Block block) {
  return scaling("scale_by_param_rms", [=](const UpdateContext& context, PendingUpdates&,
                                           const std::string& path, const ParamSpec& spec) {
    Value rms = sqrt(mean_square(context.params.at(path).value(), block_dims(spec, block)));
    return as_factor(maximum(rms, min_scale));
  });
}

Transform scale_by_trust_ratio(const TrustRatioOptions& options) {
  return scaling("trust_ratio", [o = options](const UpdateContext& context, PendingUpdates& updates,
                                              const std::string& path, const ParamSpec& spec) {
    Dims over = block_dims(spec, o.block);
    Value param = norm_at_least(sum_square(context.params.at(path).value(), over), o.min_norm);
    Value update = norm_at_least(sum_square(updates, path, over), o.min_norm);
    Value ratio = o.trust_coefficient * param / (update + o.eps);
    Value none = logical_or(equal(param, 0.0), equal(update, 0.0));
    return as_factor(where(none, 1.0, ratio));
  });
}

}  // namespace meshwright::optim
