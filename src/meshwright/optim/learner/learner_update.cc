// SPDX-License-Identifier: Apache-2.0
// One update of a learner.
#include <unordered_map>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/optim/learner/learner.h"
#include "meshwright/optim/transforms/partition.h"
#include "meshwright/optim/transforms/per_param.h"

namespace meshwright::optim {

using graph::cast;

// The values of an update in progress.
struct Learner::OpenUpdate {
  const ValueTree& params;
  const ValueTree& state;
  const ValueTree& state_updates;
  Updated out;
  Value average_decay;  // null if there is no moving average
  struct Group {
    std::string at;  // path of its slots in the state
    ParamSpecs specs;
    PendingUpdates updates;
  };
  std::vector<Group> groups;
  std::unordered_map<Value, Value, graph::ValueHash> conditions = {};

  /// Returns the conjunction of an optimizer's condition (null if it has none) and that of the
  /// whole update.
  Value condition(Value own) {
    if (own.is_null() || out.applied.is_null()) return own.is_null() ? out.applied : own;
    Value& both = conditions[own];
    if (both.is_null()) both = graph::logical_and(own, out.applied);
    return both;
  }
  bool moves_average(const std::string& path) const {
    return !average_decay.is_null() && state_updates.find(path) == nullptr;
  }
  Value if_applied(Value now, Value before) const {
    return out.applied.is_null() ? now : graph::where(out.applied, now, before);
  }
};

Learner::Updated Learner::update(const ValueTree& gradients,
                                 const ValueTree& params,
                                 const ValueTree& state,
                                 const ValueTree& state_updates,
                                 const Applies& applies) const {
  check_same_structure(params_, params, "the learner's parameters", "the values");
  check_same_structure(with_gradient(params_), gradients, "the trainable parameters",
                       "the gradients");
  OpenUpdate update{.params = params,
                    .state = state,
                    .state_updates = state_updates,
                    .out = {.params = params, .state = {}, .summaries = {}},
                    .average_decay = {},
                    .groups = {}};
  Updated& out = update.out;
  out.gradient_norm = global_norm(gradients);
  out.summaries["gradient_norm"] = out.gradient_norm;
  if (applies) out.applied = applies(out.gradient_norm);
  Value count = state.at("count").value();
  if (has_ema()) {
    update.average_decay = ema_decay_(cast(count, f32) + 1.0);
    out.summaries["ema_decay"] = update.average_decay;
  }
  for (const LearnerGroup& group : options_.groups)
    step_group(group, gradients, update);
  step_arrays(update);
  apply_state_updates(update);
  step_ema(update);
  add_variable_summaries(gradients, params, out.summaries);
  out.state["count"] = update.if_applied(count + 1, count);
  return std::move(out);
}

void Learner::step_group(const LearnerGroup& group,
                         const ValueTree& gradients,
                         OpenUpdate& update) const {
  ParamSpecs specs = specs_of(group);
  ValueTree params = leaves_with_names_of(update.params, specs);
  const ValueTree* slots = update.state.find(state_path(group));
  PendingUpdates updates(leaves_with_names_of(gradients, specs), params,
                         slots != nullptr ? *slots : ValueTree());
  Summaries own;
  Summaries& summaries = update.out.summaries;
  UpdateContext context{update.state.at("count").value(), specs, params,
                        options_.groups.size() == 1 ? summaries : own};
  run(group.optimizer, context, updates, "");
  for (const auto& [name, value] : own)
    summaries[group.name + "/" + name] = value;
  update.groups.push_back({state_path(group), std::move(specs), std::move(updates)});
}

// Applies the pending steps of all groups to parameters, slots and averages.
void Learner::step_arrays(OpenUpdate& update) const {
  std::vector<kernels::ArrayUpdate> arrays;
  const Value applied = update.out.applied;
  for (OpenUpdate::Group& group : update.groups) {
    if (!applied.is_null()) group.updates.keep_slots_unless(applied);
    for_each(group.specs, [&](const std::string& path, const ParamSpec&) {
      kernels::ArrayUpdate& array = arrays.emplace_back(group.updates.remaining(path));
      // The average moves even if the optimizer skips the update.
      if (array.condition.is_null() && update.moves_average(path)) {
        array.average = update.state.at("ema").at(path).value();
        array.average_decay = update.average_decay;
      }
      array.condition = update.condition(array.condition);
    });
  }
  std::vector<kernels::UpdatedArray> updated = kernels::update_arrays(arrays);
  auto next = updated.begin();
  for (OpenUpdate::Group& group : update.groups) {
    for_each(group.specs, [&](const std::string& path, const ParamSpec&) {
      update.out.params[path] = next->param;
      group.updates.finish(path, *next);
      if (!next->average.is_null()) update.out.state["ema"][path] = next->average;
      ++next;
    });
    const ValueTree& slots = group.updates.all_slots();
    if (slots.num_leaves() > 0) update.out.state[group.at] = slots;
  }
}

void Learner::apply_state_updates(OpenUpdate& update) const {
  for_each(update.state_updates, [&](const std::string& path, const Value& value) {
    const ParamSpec& spec = params_.at(path).value();
    MW_CHECK(value.type() == spec.type, "learner: the new value of '", path, "' is ", value,
             ", but the parameter is ", spec.type);
    UpdateType type = update_type(path);
    if (type == UpdateType::state_updates || type == UpdateType::all_updates)
      update.out.params[path] = update.if_applied(value, update.params.at(path).value());
  });
}

// Updates the averages that step_arrays() did not update.
void Learner::step_ema(OpenUpdate& update) const {
  if (!has_ema()) return;
  for_each(update.state.at("ema"), [&](const std::string& path, const Value& average) {
    if (update.out.state.find("ema/" + path) != nullptr) return;
    Value param = update.out.params.at(path).value();
    Value now = is_float(param.dtype())
                    ? kernels::moved_average(average, param, update.average_decay)
                    : param;
    update.out.state["ema"][path] = update.if_applied(now, average);
  });
}

void Learner::add_variable_summaries(const ValueTree& gradients,
                                     const ValueTree& params,
                                     Summaries& out) const {
  const VariableSummaries& wanted = options_.variable_summaries;
  auto rms = [](const ParamSpec& spec, Value x) {
    Value mean = graph::reshape(mean_square(x, block_dims(spec, Block::whole)), {});
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
