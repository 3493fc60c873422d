// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/scale.h"

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

Transform stateless(std::string name, std::function<Value(const Item&)> f) {
  auto update = [f = std::move(f)](const UpdateContext& context, const ValueTree& updates,
                                   ValueTree&) { return map_updates(context, updates, f); };
  return {.name = std::move(name), .update = update};
}

// The step of this update where the first has the number first_step; a whole number.
Value schedule_step(const UpdateContext& context, int first_step) {
  return context.count + first_step;
}

ValueTree multiplied(const ValueTree& updates, Value factor) {
  return map(updates, [&](Value update) { return update * scalar_like(factor, update); });
}

// The root of the sum of squares, or min_norm where that is larger.
Value norm_at_least(Value x, const Dims& over, double min_norm) {
  Value norm = sqrt(sum_square(x, over));
  return min_norm > 0 ? maximum(norm, min_norm) : norm;
}

}  // namespace

Transform scale(double factor) {
  return stateless("scale", [factor](const Item& item) { return item.update * factor; });
}

Transform scale_by_learning_rate(Schedule learning_rate, const LearningRateOptions& options) {
  auto update = [learning_rate = std::move(learning_rate), options](
                    const UpdateContext& context, const ValueTree& updates, ValueTree&) {
    Value step = schedule_step(context, options.first_step);
    Value rate = learning_rate(graph::cast(step, f32));
    context.summaries["learning_rate"] = rate;
    context.summaries["lr_schedule_step"] = step;
    return multiplied(updates, options.negate ? -rate : rate);
  };
  return {.name = "learning_rate", .update = update};
}

Transform scale_by_schedule(Schedule schedule, int first_step, std::string name) {
  auto update = [schedule = std::move(schedule), first_step, name](
                    const UpdateContext& context, const ValueTree& updates, ValueTree&) {
    Value step = schedule_step(context, first_step);
    Value factor = schedule(graph::cast(step, f32));
    context.summaries[name + "/schedule_step"] = step;
    context.summaries[name + "/schedule_scale"] = factor;
    return multiplied(updates, factor);
  };
  return {.name = std::move(name), .update = update};
}

Transform scale_by_schedules(PathRules<Schedule> schedules, int first_step) {
  auto update = [schedules = std::move(schedules), first_step](
                    const UpdateContext& context, const ValueTree& updates, ValueTree&) {
    Value step = graph::cast(schedule_step(context, first_step), f32);
    std::map<const Schedule*, Value> factors;
    for (const auto& rule : schedules.rules()) {
      std::string number = schedules.rules().size() == 1 ? "" : str(factors.size());
      factors[&rule.value] = rule.value(step);
      context.summaries["global_schedule" + number] = factors[&rule.value];
    }
    return map_updates(context, updates, [&](const Item& item) {
      const Schedule* found = schedules.find(item.path);
      return found == nullptr ? item.update
                              : item.update * scalar_like(factors[found], item.update);
    });
  };
  return {.name = "schedules", .update = update};
}

Transform scale_per_param(PathRules<double> factors) {
  return stateless("scale_per_param", [factors = std::move(factors)](const Item& item) {
    double factor = factors.value_or(item.path, 1);
    return factor == 1 ? item.update : item.update * factor;
  });
}

Transform scale_by_param_rms(double min_scale, Block block) {
  return stateless("scale_by_param_rms", [=](const Item& item) {
    Value rms = sqrt(mean_square(item.param_as_update(), block_dims(item.spec, block)));
    return item.update * maximum(rms, min_scale);
  });
}

Transform scale_by_trust_ratio(const TrustRatioOptions& options) {
  return stateless("trust_ratio", [o = options](const Item& item) {
    Dims over = block_dims(item.spec, o.block);
    Value param = norm_at_least(item.param_as_update(), over, o.min_norm);
    Value update = norm_at_least(item.update, over, o.min_norm);
    Value ratio = o.trust_coefficient * param / (update + o.eps);
    Value none = logical_or(equal(param, 0.0), equal(update, 0.0));
    return item.update * where(none, 1.0, ratio);
  });
}

}  // namespace meshwright::optim
