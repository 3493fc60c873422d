// SPDX-License-Identifier: Apache-2.0
// The learner, which turns gradients into new parameters.
//
// An optimizer is a Transform (transforms/transform.h), nearly always a chain of simpler ones. The
// gradients enter the chain, each transform maps the updates to new ones, and the updates that
// leave the chain are added to the parameters. AdamW is such a chain (optimizers/adamw.cc):
//
//   gradients -> scale_by_adam -> add_decayed_weights -> scale_by_learning_rate -> parameters
//
// Transforms run while the training step is traced; they only build the graph. Most are
// element-wise: instead of emitting ops, they append a step to the PendingUpdates
// (transforms/pending.h). A transform that needs whole updates, such as clipping by the global norm
// or Muon, materialises them. At the end, kernels::update_arrays() applies all steps to all
// parameters, slots and averages in one pass over memory.
//
// A transform keeps state in slots, such as Adam's moments. It declares them as ParamSpecs: path,
// type and named axes. These specs are all that sharding and checkpoints know about an optimizer. A
// slot with the axes of its parameter is sharded like the parameter.
//
// A number that changes during the run is a Schedule (schedules/schedule.h), a function of the
// step. The options of an optimizer hold it as a ScheduleConfig, because durations such as "10%"
// can be converted to steps only once the length of the run is known.
//
// A Learner applies optimizers to the parameters of a model. It divides parameters into groups with
// one optimizer each, freezes parameters that rules exclude, and optionally keeps a moving average
// of all parameters. It is independent of devices, of the loop and of configs; learner_config.h
// creates its options from the tables [optimizer] and [learner] of a config.
//
//   Learner learner(learn_by(adamw({.learning_rate = 1e-3})), param_specs);
//   ValueTree state = learner.init(params);
//   Learner::Updated next = learner.update(gradients, params, state);
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/config/fields.h"
#include "meshwright/optim/schedules/schedule_config.h"
#include "meshwright/optim/transforms/path_rules.h"
#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

/// Updates that a parameter accepts: those of its optimizer, or new values from the forward pass,
/// such as batch norm statistics.
enum class UpdateType { no_update, optimizers, state_updates, all_updates };

/// Parameters that share an optimizer.
struct LearnerGroup {
  std::string name;  // prefix of its state paths; unused if there is only one group
  Transform optimizer;
  /// A parameter that matches no pattern accepts all_updates. A parameter that the optimizer does
  /// not change has no slots and needs no gradient.
  PathRules<UpdateType> update_rules = {};
  /// Positions of the schedules in the chain that Big Vision makes of the same config. Its
  /// checkpoints count updates there. Empty for other optimizers.
  std::vector<std::size_t> schedule_places = {};
};

/// A moving average of all parameters, for evaluation.
struct EmaOptions {
  ScheduleConfig decay = 0.9999;    // in a schedule, the first update is step 1
  bool starts_with_params = false;  // false: starts with zeros
  bool bias_correction = false;

  void fields(auto& f) {
    f.optional("decay", decay, config::kFraction, "Decay rate, a number or a schedule.");
    f.optional("starts_with_params", starts_with_params,
               "Start the average with the parameters instead of zeros.");
    f.optional(
        "bias_correction", bias_correction,
        "Correct the bias of an average that starts with zeros. Requires a constant decay rate.");
  }
};
/// Returns the decay rate as a schedule, which includes the bias correction if `bias_correction` is
/// set. Throws the errors of make_schedule(), and invalid_argument if the bias of this average
/// cannot be corrected.
Schedule ema_decay(const EmaOptions& options, const RunLength& run);

/// Per-parameter summaries. They slow down every step.
struct VariableSummaries {
  bool rms = false;                          // param_rms/PATH and grad_rms/PATH
  std::vector<std::string> grad_norms = {};  // grad_norm/PATH: norm of all gradients under PATH

  void fields(auto& f) {
    f.optional("per_variable_rms", rms, "Report the RMS of every parameter and gradient.");
    f.optional("grad_norms_of", grad_norms,
               "For each of these paths, report the norm of all gradients below it.");
  }
};

struct LearnerOptions {
  std::vector<LearnerGroup> groups;
  /// Maps parameter paths to group names. May be empty if there is only one group; otherwise every
  /// parameter must match a rule.
  PathRules<std::string> group_rules = {};
  std::optional<EmaOptions> ema = {};
  RunLength run = {};  // for the schedule of `ema`
  VariableSummaries variable_summaries = {};
};

/// Returns options with one optimizer for all parameters.
LearnerOptions learn_by(Transform optimizer);

/// Applies optimizers to the parameters of a model. The state has `count` (s32, the number of
/// updates made), `optimizer/...` (`NAME/optimizer/...` if there are several groups) and, with a
/// moving average, `ema/PATH` for each parameter.
class Learner {
 public:
  /// Throws invalid_argument if a group rule names an unknown group, if a group lacks a unique
  /// name, or if a parameter matches no group rule. Also throws the errors of ema_decay().
  Learner(LearnerOptions options, ParamSpecs params);

  const ParamSpecs& param_specs() const { return params_; }
  /// Returns the names, types and axes of the state, for sharding and checkpoints.
  ParamSpecs state_specs() const;
  /// Returns one line for each rule that applies to no parameter.
  const std::vector<std::string>& warnings() const { return warnings_; }

  UpdateType update_type(std::string_view path) const;
  /// True if the optimizer changes this parameter.
  bool needs_gradient(std::string_view path) const;
  /// Returns the leaves at the paths of parameters that need gradients. Treat the other parameters
  /// as constants in the loss, so that their gradients cost nothing and their NaNs do not spread.
  template <typename T>
  Tree<T> with_gradient(const Tree<T>& tree) const;
  bool has_ema() const { return options_.ema.has_value(); }

  /// Returns the state before the first update, as traced values.
  ValueTree init(const ValueTree& params) const;

  struct Updated {
    ValueTree params, state;
    Summaries summaries;
    /// The norm of all gradients, before clipping.
    Value gradient_norm = {};
    /// The result of `applies`; null if `applies` was empty.
    Value applied = {};
  };
  /// Returns a boolean scalar for a gradient norm. If the scalar is false, the parameters and the
  /// state do not change.
  using Applies = std::function<Value(Value gradient_norm)>;
  /// Returns the results of one update, as traced values. `gradients` has the same paths as
  /// with_gradient(params). `state_updates` has new values for parameters whose update type allows
  /// them. Without `applies`, the update is always applied.
  Updated update(const ValueTree& gradients,
                 const ValueTree& params,
                 const ValueTree& state,
                 const ValueTree& state_updates = {},
                 const Applies& applies = {}) const;

 private:
  const LearnerGroup& group_of(std::string_view path) const;
  std::string state_path(const LearnerGroup& group) const;
  /// Returns the parameters of a group that need gradients.
  ParamSpecs specs_of(const LearnerGroup& group) const;
  void check_groups() const;
  void find_unused_rules();
  struct OpenUpdate;
  void step_group(const LearnerGroup& group, const ValueTree& gradients, OpenUpdate& update) const;
  void step_arrays(OpenUpdate& update) const;
  void apply_state_updates(OpenUpdate& update) const;
  void step_ema(OpenUpdate& update) const;
  void add_variable_summaries(const ValueTree& gradients,
                              const ValueTree& params,
                              Summaries& out) const;

  LearnerOptions options_;
  ParamSpecs params_;
  Schedule ema_decay_;  // null if there is no average
  std::vector<std::string> warnings_;
};

template <typename T>
Tree<T> Learner::with_gradient(const Tree<T>& tree) const {
  Tree<T> out;
  for_each(tree, [&](const std::string& path, const T& value) {
    if (needs_gradient(path)) out[path] = value;
  });
  return out;
}

}  // namespace meshwright::optim
