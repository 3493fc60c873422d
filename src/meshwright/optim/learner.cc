// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/learner.h"

#include <algorithm>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/nearest.h"
#include "meshwright/base/str.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/optim/partition.h"
#include "meshwright/optim/per_param.h"

namespace meshwright::optim {

using graph::cast;

namespace {

std::vector<std::string> paths_of(const ParamSpecs& params) {
  std::vector<std::string> out;
  for_each(params, [&](const std::string& path, const ParamSpec&) { out.push_back(path); });
  return out;
}

ParamSpec count_spec() {
  return {.type = {s32, {}}, .axes = {}, .mesh_axes = {}, .factorization = {}};
}

// Gradients of parameters of f16 and bf16 are made f32, in which the chain computes.
ValueTree for_computation(const ValueTree& gradients) {
  return map(gradients, [](Value g) { return cast(g, update_dtype(g.dtype())); });
}

ValueTree applied(const ValueTree& params, const ValueTree& updates) {
  return map(params, updates, [](Value param, Value update) {
    return cast(cast(param, update.dtype()) + update, param.dtype());
  });
}

}  // namespace

LearnerOptions learn_by(Transform optimizer) {
  LearnerOptions out;
  out.groups.push_back({.name = "", .optimizer = std::move(optimizer), .update_rules = {}});
  return out;
}

Learner::Learner(LearnerOptions options, ParamSpecs params)
    : options_(std::move(options)), params_(std::move(params)) {
  check_groups();
  find_unused_rules();
}

void Learner::check_groups() const {
  MW_CHECK(!options_.groups.empty(), "learner: no optimizer");
  std::vector<std::string> names;
  for (const LearnerGroup& group : options_.groups) {
    if (options_.groups.size() > 1) {
      MW_CHECK(!group.name.empty() && group.name != "ema" && group.name != "count",
               "learner: a group cannot be named '", group.name, "'");
      MW_CHECK(std::count(names.begin(), names.end(), group.name) == 0,
               "learner: two groups are "
               "named '",
               group.name, "'");
    }
    names.push_back(group.name);
  }
  for (const auto& rule : options_.group_rules.rules()) {
    MW_CHECK(std::count(names.begin(), names.end(), rule.value) > 0, "learner: the rule for ",
             rule.pattern, " names an unknown group '", rule.value, "'",
             did_you_mean(rule.value, names));
  }
  MW_CHECK(options_.groups.size() == 1 || !options_.group_rules.empty(),
           "learner: several groups and no rules that say which parameter belongs where");
  if (options_.group_rules.empty()) return;
  std::vector<std::string> unmatched;
  for (const std::string& path : paths_of(params_)) {
    if (options_.group_rules.find(path) == nullptr) unmatched.push_back(path);
  }
  MW_CHECK(unmatched.empty(),
           "learner: no group rule matches these parameters: ", join(unmatched, ", "),
           "\nEnd the rules with one for '.*'.");
}

void Learner::find_unused_rules() {
  auto add = [&](std::vector<std::string> lines) {
    warnings_.insert(warnings_.end(), lines.begin(), lines.end());
  };
  add(options_.group_rules.unused(paths_of(params_), "learner.rules"));
  for (const LearnerGroup& group : options_.groups) {
    std::vector<std::string> own;
    for (const std::string& path : paths_of(params_)) {
      if (&group_of(path) == &group) own.push_back(path);
    }
    std::string table = group.name.empty() ? "update_rules" : group.name + ".update_rules";
    add(group.update_rules.unused(own, str("learner.", table)));
  }
}

const LearnerGroup& Learner::group_of(std::string_view path) const {
  const std::string* name = options_.group_rules.find(path);
  if (name == nullptr) return options_.groups.front();
  return *std::find_if(options_.groups.begin(), options_.groups.end(),
                       [&](const LearnerGroup& group) { return group.name == *name; });
}

std::string Learner::state_path(const LearnerGroup& group) const {
  return options_.groups.size() == 1 ? "optimizer" : group.name + "/optimizer";
}

UpdateType Learner::update_type(std::string_view path) const {
  return group_of(path).update_rules.value_or(path, UpdateType::all_updates);
}

bool Learner::needs_gradient(std::string_view path) const {
  UpdateType type = update_type(path);
  if (type != UpdateType::optimizers && type != UpdateType::all_updates) return false;
  return is_float(params_.at(path).value().type.dtype);
}

ParamSpecs Learner::specs_of(const LearnerGroup& group) const {
  return chosen_leaves(params_, [&](const std::string& path) {
    return &group_of(path) == &group && needs_gradient(path);
  });
}

ParamSpecs Learner::state_specs() const {
  ParamSpecs out;
  out["count"] = count_spec();
  for (const LearnerGroup& group : options_.groups) {
    SlotSpecs slots = slot_specs(group.optimizer, specs_of(group));
    if (slots.num_leaves() > 0) out[state_path(group)] = std::move(slots);
  }
  if (has_ema()) out["ema"] = params_;
  return out;
}

ValueTree Learner::init(const ValueTree& params) const {
  check_same_structure(params_, params, "the learner's parameters", "the values");
  ValueTree out;
  out["count"] = graph::constant(0, s32);
  for (const LearnerGroup& group : options_.groups) {
    ParamSpecs specs = specs_of(group);
    ValueTree slots = initial_slots(group.optimizer, specs, leaves_named_as(params, specs));
    if (slots.num_leaves() > 0) out[state_path(group)] = std::move(slots);
  }
  if (has_ema()) {
    out["ema"] = options_.ema->starts_with_params
                     ? params
                     : map(params, [](Value p) { return graph::zeros(p.type()); });
  }
  return out;
}

Learner::Updated Learner::update(const ValueTree& gradients,
                                 const ValueTree& params,
                                 const ValueTree& state,
                                 const ValueTree& state_updates) const {
  check_same_structure(params_, params, "the learner's parameters", "the values");
  check_same_structure(with_gradient(params_), gradients, "the parameters that learn",
                       "the gradients");
  Updated out{.params = params, .state = {}, .summaries = {}};
  ValueTree wide = for_computation(gradients);
  out.gradient_norm = global_norm(gradients);
  out.summaries["gradient_norm"] = out.gradient_norm;
  for (const LearnerGroup& group : options_.groups)
    step_group(group, wide, params, state, out);
  apply_state_updates(state_updates, out.params);
  step_ema(state, out);
  add_variable_summaries(wide, params, out.summaries);
  out.state["count"] = state.at("count").value() + 1;
  return out;
}

void Learner::step_group(const LearnerGroup& group,
                         const ValueTree& gradients,
                         const ValueTree& old_params,
                         const ValueTree& old_state,
                         Updated& out) const {
  ParamSpecs specs = specs_of(group);
  ValueTree params = leaves_named_as(old_params, specs);
  const ValueTree* old_slots = old_state.find(state_path(group));
  ValueTree slots = old_slots != nullptr ? *old_slots : ValueTree();
  bool is_only = options_.groups.size() == 1;
  Summaries own;
  UpdateContext context{old_state.at("count").value(), specs, params,
                        is_only ? out.summaries : own};
  ValueTree updates = group.optimizer.update(context, leaves_named_as(gradients, specs), slots);
  out.params = merged(std::move(out.params), applied(params, updates));
  if (slots.num_leaves() > 0) out.state[state_path(group)] = std::move(slots);
  for (const auto& [name, value] : own)
    out.summaries[group.name + "/" + name] = value;
}

void Learner::apply_state_updates(const ValueTree& state_updates, ValueTree& params) const {
  for_each(state_updates, [&](const std::string& path, const Value& value) {
    const ParamSpec& spec = params_.at(path).value();
    MW_CHECK(value.type() == spec.type, "learner: the new value of '", path, "' is ", value,
             ", the parameter ", spec.type);
    UpdateType type = update_type(path);
    if (type == UpdateType::state_updates || type == UpdateType::all_updates) params[path] = value;
  });
}

void Learner::step_ema(const ValueTree& old_state, Updated& out) const {
  if (!has_ema()) return;
  Value number = cast(old_state.at("count").value(), f32) + 1.0;
  Value decay = options_.ema->decay(number);
  out.summaries["ema_decay"] = decay;
  out.state["ema"] = map(out.params, old_state.at("ema"), [&](Value param, Value average) {
    if (!is_float(param.dtype())) return param;
    Value x = cast(param, update_dtype(param.dtype()));
    Value d = scalar_like(decay, x);
    return cast((1.0 - d) * x + d * cast(average, x.dtype()), average.dtype());
  });
}

void Learner::add_variable_summaries(const ValueTree& gradients,
                                     const ValueTree& params,
                                     Summaries& out) const {
  const VariableSummaries& wanted = options_.variable_summaries;
  auto rms = [](const ParamSpec& spec, Value x) {
    Value wide = cast(x, update_dtype(x.dtype()));
    Value mean = graph::reshape(mean_square(wide, block_dims(spec, Block::whole)), {});
    return graph::maximum(graph::sqrt(mean), 1e-3);
  };
  if (wanted.rms) {
    for_each(params, [&](const std::string& path, const Value& x) {
      if (!is_float(x.dtype())) return;
      out["param_rms/" + path] = rms(params_.at(path).value(), x);
    });
    for_each(gradients, [&](const std::string& path, const Value& g) {
      out["grad_rms/" + path] = rms(params_.at(path).value(), g);
    });
  }
  for (const std::string& prefix : wanted.grad_norms)
    out["grad_norm/" + prefix] = global_norm(gradients.at(prefix));
}

}  // namespace meshwright::optim
