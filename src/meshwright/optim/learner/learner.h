// SPDX-License-Identifier: Apache-2.0
// What turns gradients into new parameters: which parameters learn, by which optimizer, and what is
// kept beside them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/config/fields.h"
#include "meshwright/optim/schedules/schedule.h"
#include "meshwright/optim/transforms/path_rules.h"
#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

/// What may change a parameter: the optimizer, and what the forward pass gives for it (statistics
/// of a batch norm).
enum class UpdateType { no_update, optimizers, state_updates, all_updates };

/// Parameters that share an optimizer.
struct LearnerGroup {
  std::string name;  // of its part of the state; of the only group it is not used
  Transform optimizer;
  /// all_updates where no pattern matches. A parameter that the optimizer does not change has no
  /// slots, and needs no gradient.
  PathRules<UpdateType> update_rules = {};
};

struct EmaOptions {
  /// Of a moving average of all parameters, for evaluation; steps begin with 1.
  Schedule decay;
  bool starts_with_params = false;  // else with zeros
};

/// Summaries of single parameters, which cost time in every step.
struct VariableSummaries {
  bool rms = false;                          // param_rms/PATH and grad_rms/PATH
  std::vector<std::string> grad_norms = {};  // grad_norm/PATH, of the gradients below each path

  void fields(auto& f) {
    f.optional("per_variable_rms", rms, "Report the RMS of every parameter and gradient.");
    f.optional("grad_norms_of", grad_norms, "Report gradient norms below these paths.");
  }
};

struct LearnerOptions {
  std::vector<LearnerGroup> groups;
  /// From paths to names of groups; every parameter must match. Empty with a single group.
  PathRules<std::string> group_rules = {};
  std::optional<EmaOptions> ema = {};
  VariableSummaries variable_summaries = {};
};

/// An optimizer for all parameters.
LearnerOptions learn_by(Transform optimizer);

/// The state is `count` (s32, the number of updates made), `optimizer/...` (of several groups
/// `NAME/optimizer/...`) and `ema/...`, named as the parameters.
class Learner {
 public:
  /// Throws invalid_argument for a rule that names no group, for a group without a name or with one
  /// that another has, and with all parameters that no group rule matches.
  Learner(LearnerOptions options, ParamSpecs params);

  const ParamSpecs& param_specs() const { return params_; }
  /// Names, types and axes of the state, for sharding and checkpoints.
  ParamSpecs state_specs() const;
  /// Of rules that decide about nothing; one line each.
  const std::vector<std::string>& warnings() const { return warnings_; }

  UpdateType update_type(std::string_view path) const;
  /// Whether the optimizer changes this parameter, so that its gradient is needed.
  bool needs_gradient(std::string_view path) const;
  /// The part of a tree named as the parameters whose gradients are needed. The others are best
  /// used as constants of the loss: nothing is computed for them, and their NaN stay theirs.
  template <typename T>
  Tree<T> with_gradient(const Tree<T>& tree) const;
  bool has_ema() const { return options_.ema.has_value(); }

  /// The state before the first update. Traced.
  ValueTree init(const ValueTree& params) const;

  struct Updated {
    ValueTree params, state;
    Summaries summaries;
    /// Of all gradients as they were given.
    Value gradient_norm = {};
    /// What `applies` gave.
    Value applied = {};
  };
  /// From the norm of the gradients to a boolean scalar. Where it does not hold, parameters and
  /// state stay as they are.
  using Applies = std::function<Value(Value gradient_norm)>;
  /// One update. Traced. `gradients` are of with_gradient(params); `state_updates` (maybe empty)
  /// are new values for parameters, as far as their update type allows. No `applies`: it does.
  Updated update(const ValueTree& gradients,
                 const ValueTree& params,
                 const ValueTree& state,
                 const ValueTree& state_updates = {},
                 const Applies& applies = {}) const;

 private:
  const LearnerGroup& group_of(std::string_view path) const;
  std::string state_path(const LearnerGroup& group) const;
  /// The parameters with gradients of a group.
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
