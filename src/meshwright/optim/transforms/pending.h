// SPDX-License-Identifier: Apache-2.0
// Updates on their way through a chain. Each parameter has a value and the element-wise steps that
// have not yet been applied to it. A kernel applies all steps to all parameters in one pass over
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
  /// `params` has the same paths as `gradients`. `slots` is the whole state of the optimizer.
  PendingUpdates(const ValueTree& gradients, const ValueTree& params, ValueTree slots);

  /// Returns the type of the parameter's gradient. The update may have another dtype.
  const graph::Type& type(const std::string& path) const { return entry(path).update.type(); }

  /// Returns the updates after all steps so far. Steps with slots are then complete. Other steps
  /// also remain pending, so that they can be fused with later steps.
  ValueTree materialize(const ParamSpecs& of);
  Value materialize(const std::string& path);
  /// Returns the sums of squares of the update over each list of dimensions.
  std::vector<Value> square_sums(const std::string& path, const std::vector<Dims>& over);
  /// Replaces the update and its pending steps. No step with slots may be pending.
  void set(const std::string& path, Value update);

  /// Appends a step. `slots` are the paths of its slots.
  void add_step(const std::string& path,
                kernels::UpdateStep step,
                const std::vector<std::string>& slots = {});
  /// Unless the condition (a boolean scalar) holds, the updates become 0 and the slots under `at`
  /// keep their old values.
  void apply_only_if(Value condition, const ParamSpecs& of, const std::string& at);

  /// Unless the condition holds, restores the old values of the slots under `at`.
  void keep_slots_unless(Value condition, const std::string& at = "");

  /// Returns the slots under a path, without the effect of pending steps.
  ValueTree slots(const std::string& at) const;
  void set_slots(const std::string& at, const ValueTree& slots);
  Value& slot(const std::string& path) { return slots_.at(path).value(); }

  /// Returns the pending work for one parameter, for kernels::update_arrays().
  kernels::ArrayUpdate remaining(const std::string& path) const;
  /// Stores the slots that update_arrays() computed.
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
