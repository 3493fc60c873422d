// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/optimizers/t5x_adafactor.h"

#include <algorithm>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/nearest.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/dims.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/optim/transforms/factored_rms.h"
#include "meshwright/optim/transforms/path_rules.h"
#include "meshwright/optim/transforms/per_param.h"

namespace meshwright::optim {

using graph::cast;
using graph::maximum;
using graph::minimum;
using graph::not_equal;
using graph::pow;
using graph::sqrt;
using graph::where;

std::map<std::string, T5xFactor> t5x_axis_rules() {
  using enum T5xFactor;
  return {{"vocab", column},
          {"embed", row},
          {"mlp", column},
          {"heads", column},
          {"kv", column},
          {"joined_kv", column},
          {"relpos_buckets", none},
          {"layers", batch},
          {"stack", batch},
          {"q_wi_fused", column},
          {"o_wo_fused", column},
          {"multiquery_heads", column},
          {"kv_fused", column},
          {"layer_norm_scale", none},
          {"mlp_activations", column}};
}

namespace {

using AxisRules = std::map<std::string, T5xFactor>;

// How the dimensions of one parameter are used.
struct Layout {
  Dims averaged;  // all but those with the role batch
  std::optional<FactoredDims> factored;
};

bool has(const std::vector<T5xFactor>& roles, T5xFactor role) {
  return std::count(roles.begin(), roles.end(), role) > 0;
}

AxisRules axis_rules_of(const T5xAdafactorOptions& o) {
  AxisRules out = o.axis_rules.value_or(AxisRules());
  if (o.standard_axis_rules) out.merge(t5x_axis_rules());
  return out;
}

std::vector<T5xFactor> roles_of_axes(const AxisRules& rules,
                                     const std::string& path,
                                     const ParamSpec& spec) {
  std::vector<std::string> known;
  for (const auto& [axis, role] : rules)
    known.push_back(axis);
  std::vector<T5xFactor> roles;
  for (const std::string& axis : spec.axes) {
    auto rule = rules.find(axis);
    MW_CHECK(rule != rules.end(), "t5x_adafactor: no factor rule for axis '", axis, "' of '", path,
             "'", did_you_mean(axis, known));
    roles.push_back(rule->second);
  }
  bool is_factored = has(roles, T5xFactor::row) && has(roles, T5xFactor::column);
  MW_CHECK(!is_factored || !has(roles, T5xFactor::none), "t5x_adafactor: the axes of '", path,
           "' (", join(spec.axes, " "), ") have the roles row and column, but also the role none");
  return roles;
}

// Factors a matrix, or each matrix of a stack, if both of its dimensions are large enough.
Layout layout_by_size(const T5xAdafactorOptions& o,
                      const std::string& path,
                      const ParamSpec& spec) {
  Dims own = block_dims(spec, Block::layer);
  MW_CHECK(own.size() <= 2 || !o.factored, "t5x_adafactor: '", path, "' is ", spec.type,
           ", which has more than two dimensions: rows and columns are ambiguous",
           "\nGive roles to its axes (axis_rules).");
  if (!o.factored || own.size() < 2) return {own, std::nullopt};
  Dims sizes(spec.type.dims.end() - 2, spec.type.dims.end());
  std::optional<FactoredDims> found = two_largest_dims(sizes, o.min_dim_size_to_factor);
  if (found) {
    found->d0.front() += spec.num_stacked_dims;
    found->d1.front() += spec.num_stacked_dims;
  }
  return {own, found};
}

Layout layout_of(const T5xAdafactorOptions& o, const std::string& path, const ParamSpec& spec) {
  const AxisRules rules = axis_rules_of(o);
  if (!o.factored || rules.empty()) return layout_by_size(o, path, spec);
  std::vector<T5xFactor> roles = roles_of_axes(rules, path, spec);
  if (roles.size() <= 2 && !has(roles, T5xFactor::batch)) return layout_by_size(o, path, spec);
  Layout out;
  FactoredDims factored;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    auto dim = static_cast<std::int64_t>(i);
    if (roles[i] != T5xFactor::batch) out.averaged.push_back(dim);
    if (roles[i] == T5xFactor::row) factored.d1.push_back(dim);
    if (roles[i] == T5xFactor::column) factored.d0.push_back(dim);
  }
  if (!factored.d0.empty() && !factored.d1.empty()) out.factored = factored;
  return out;
}

// Converts T5X's patterns, which match anywhere in a path, to patterns that match the whole path.
PathRules<bool> found_anywhere(std::vector<ParameterScaleRule> rules) {
  for (ParameterScaleRule& rule : rules)
    rule.params = str(".*(?:", rule.params, ").*");
  return path_rules(rules, &ParameterScaleRule::multiply);
}

SlotSpecs t5x_slots(const T5xAdafactorOptions& o, const ParamSpecs& params) {
  SlotSpecs out;
  for_each(params, [&](const std::string& path, const ParamSpec& spec) {
    add_factored_slots(layout_of(o, path, spec).factored, path, spec, out);
    ParamSpec moment = unused_slot(f32);
    if (o.beta1) {
      moment = spec;
      moment.factorization.clear();
    }
    moment.type.dtype = o.momentum_dtype.value_or(update_dtype(spec.type.dtype));
    out[join_tree_path("m", path)] = moment;
  });
  return out;
}

// Returns the scale of a parameter, which multiplies the learning rate.
Value parameter_scale(const T5xAdafactorOptions& o, const Layout& layout, Value param) {
  Value scale = maximum(sqrt(mean_square(param, layout.averaged)), o.epsilon2);
  return o.max_parameter_scale ? minimum(scale, *o.max_parameter_scale) : scale;
}

// Values that all parameters share in one update.
struct T5xUpdate {
  const T5xAdafactorOptions& options;
  Value rate, decay_rate;
  SharedScalars numbers = {}, decays = {};
};

// Returns the factor with which a parameter is added to its update, or null without weight decay.
Value decay_factor(T5xUpdate& update, const ParamSpec& spec) {
  const T5xAdafactorOptions& o = update.options;
  if (o.weight_decay_rate_lr_exponent) {
    return update.decays(0, spec, [&](DType dtype) {
      return -o.weight_decay_rate.value_or(1) *
             pow(cast(update.rate, dtype), *o.weight_decay_rate_lr_exponent);
    });
  }
  return o.weight_decay_rate ? update.numbers(-*o.weight_decay_rate, spec) : Value();
}

// Adds all steps for one parameter. `param` is null if updates are not scaled by its RMS.
void add_steps(T5xUpdate& update,
               const std::string& path,
               const ParamSpec& spec,
               Value param,
               PendingUpdates& updates,
               const std::string& at) {
  const T5xAdafactorOptions& o = update.options;
  Layout layout = layout_of(o, path, spec);
  auto scale = [&](Value factor) {
    updates.add_step(path, kernels::scale_step(as_factor(factor)));
  };
  divide_by_factored_rms(layout.factored, path, update.decay_rate, o.epsilon1, updates, at);
  if (o.clipping_threshold) {
    Value rms = sqrt(mean_square(updates, path, layout.averaged));
    scale(1.0 / maximum(1.0, rms / *o.clipping_threshold));
  }
  scale(update.rate);
  if (!param.is_null()) scale(parameter_scale(o, layout, param));
  if (o.beta1) {
    updates.add_step(path, kernels::average_step(*o.beta1, {}),
                     {join_tree_path(at, join_tree_path("m", path))});
  }
  scale(update.numbers(-1, spec));
  if (Value decay = decay_factor(update, spec); !decay.is_null())
    updates.add_step(path, kernels::add_param_step(decay));
  if (!o.skip_nan_updates) return;
  Value out = updates.materialize(path);
  updates.set(path, where(not_equal(out, out), 0.0, out));
}

ValueTree without_nan(const ValueTree& slots, const ValueTree& old) {
  return map(slots, old, [](Value x, Value before) { return where(not_equal(x, x), before, x); });
}

}  // namespace

Transform t5x_adafactor(const T5xAdafactorOptions& options, const RunLength& run) {
  auto slots = [o = options](const ParamSpecs& params) { return t5x_slots(o, params); };
  auto steps = [o = options, learning_rate = make_schedule(options.learning_rate, run),
                rules = found_anywhere(options.parameter_scale_rules)](
                   const UpdateContext& context, PendingUpdates& updates, const std::string& at) {
    const ValueTree old = updates.slots(at);
    Value step = context.count + o.first_step;
    T5xUpdate update{
        .options = o,
        .rate = learning_rate(cast(step, f32)),
        .decay_rate = adafactor_decay_rate(o.decay_rate, o.step_offset)(context.update_number())};
    context.summaries["learning_rate"] = update.rate;
    context.summaries["lr_schedule_step"] = step;
    for_each(context.specs, [&](const std::string& path, const ParamSpec& spec) {
      const bool scales = rules.value_or(path, o.multiply_by_parameter_scale);
      Value param = scales ? context.params.at(path).value() : Value();
      add_steps(update, path, spec, param, updates, at);
    });
    if (o.skip_nan_updates) updates.set_slots(at, without_nan(updates.slots(at), old));
  };
  return {.name = "param_states", .slots = slots, .steps = steps};
}

}  // namespace meshwright::optim
