// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/learner/learner.h"

#include <algorithm>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/nearest.h"
#include "meshwright/base/str.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/optim/transforms/partition.h"

namespace meshwright::optim {

namespace {

std::vector<std::string> paths_of(const ParamSpecs& params) {
  std::vector<std::string> out;
  for_each(params, [&](const std::string& path, const ParamSpec&) { out.push_back(path); });
  return out;
}

ParamSpec count_spec() {
  return {.type = {s32, {}}, .axes = {}, .mesh_axes = {}, .factorization = {}};
}

}  // namespace

LearnerOptions learn_by(Transform optimizer) {
  LearnerOptions out;
  out.groups.push_back({.name = "", .optimizer = std::move(optimizer), .update_rules = {}});
  return out;
}

Schedule ema_decay(const EmaOptions& options, const RunLength& run) {
  if (!options.bias_correction) return make_schedule(options.decay, run);
  const double* decay = std::get_if<double>(&options.decay);
  MW_CHECK(decay != nullptr && !options.decay.custom,
           "learner.ema: bias_correction requires a constant decay rate");
  MW_CHECK(!options.starts_with_params,
           "learner.ema: bias_correction applies to averages that start with zeros only");
  return decay_bias_correction(*decay);
}

Learner::Learner(LearnerOptions options, ParamSpecs params)
    : options_(std::move(options)), params_(std::move(params)) {
  if (options_.ema) ema_decay_ = ema_decay(*options_.ema, options_.run);
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
           "learner: several groups require group rules that assign parameters to them");
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
  return filter_leaves(params_, [&](const std::string& path) {
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
    ValueTree slots = initial_slots(group.optimizer, specs, leaves_with_names_of(params, specs));
    if (slots.num_leaves() > 0) out[state_path(group)] = std::move(slots);
  }
  if (has_ema()) {
    out["ema"] = options_.ema->starts_with_params
                     ? params
                     : map(params, [](Value p) { return graph::zeros(p.type()); });
  }
  return out;
}

}  // namespace meshwright::optim
