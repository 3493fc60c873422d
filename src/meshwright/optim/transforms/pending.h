// SPDX-License-Identifier: Apache-2.0
// Updates on their way through a chain: for every parameter a value and the steps that are still to
// be done with each of its elements. Done last, all steps of all parameters are one pass over
// memory.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "meshwright/autodiff/tree_grad.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/kernels/update/update.h"
#include "meshwright/tensor/param_spec.h"

namespace meshwright::optim {

using autodiff::ValueTree;
using graph::Value;

class PendingUpdates {
 public:
  /// `params` are named as the gradients; `slots` are all that the optimizer keeps.
  PendingUpdates(const ValueTree& gradients, const ValueTree& params, ValueTree slots);

  /// Of its gradient, which the update keeps but for the dtype.
  const graph::Type& type(const std::string& path) const { return entry(path).update.type(); }

  // The updates of the parameters `of`, after all steps so far.

  /// Steps without slots stay to be done, since they are best done with those that follow.
  ValueTree materialize(const ParamSpecs& of);
  Value materialize(const std::string& path);
  /// The sums of its squares over each of these lists of dimensions.
  std::vector<Value> square_sums(const std::string& path, const std::vector<Dims>& over);
  /// In place of what there was: no step is left to be done.
  void set(const std::string& path, Value update);

  /// The step comes after those there are. `slots` are the paths of its slots.
  void add_step(const std::string& path,
                kernels::UpdateStep step,
                const std::vector<std::string>& slots = {});
  /// Where the condition, a boolean scalar, does not hold, the update is 0 and the slots below `at`
  /// stay.
  void apply_only_if(Value condition, const ParamSpecs& of, const std::string& at);

  /// Where it does not hold, slots stay that have been replaced.
  void keep_slots_unless(Value condition, const std::string& at = "");

  /// The slots below a path, none where there are none. Not of a step that is still to be done.
  ValueTree slots(const std::string& at) const;
  void set_slots(const std::string& at, const ValueTree& slots);
  Value& slot(const std::string& path) { return slots_.at(path).value(); }

  /// What the parameter still needs.
  kernels::ArrayUpdate remaining(const std::string& path) const;
  void finish(const std::string& path, const kernels::UpdatedArray& updated);
  const ValueTree& all_slots() const { return slots_; }

 private:
  struct Entry {
    Value param, update;
    std::vector<kernels::UpdateStep> steps = {};
    std::vector<std::string> slots = {};
    Value condition = {};
  };
  Entry& entry(const std::string& path);
  const Entry& entry(const std::string& path) const;
  std::vector<Value> slots_of(const Entry& entry) const;
  void do_steps(Entry& entry);

  std::map<std::string, Entry> entries_;
  ValueTree slots_, old_slots_;
};

}  // namespace meshwright::optim
