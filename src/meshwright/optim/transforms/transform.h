// SPDX-License-Identifier: Apache-2.0
// An optimizer is a chain of transforms, each of which makes other updates of the updates it gets:
// first come the gradients, and what leaves the chain is added to the parameters.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "meshwright/optim/transforms/pending.h"

namespace meshwright::optim {

/// What a transform keeps from one update to the next. A slot that belongs to a parameter has its
/// axes, and so lies on the mesh as the parameter does.
using SlotSpecs = ParamSpecs;

/// Scalars by name, "gradient_norm".
using Summaries = std::map<std::string, Value>;

/// What every transform sees of the update being made. All trees have the same names.
struct UpdateContext {
  Value count;  // s32 scalar, the number of updates made before this one
  const ParamSpecs& specs;
  const ValueTree& params;
  Summaries& summaries;

  /// The number of this update, f32: 1 for the first.
  Value update_number() const;
};

struct Transform {
  std::string name;  // of its slots in the state
  /// Empty: it keeps nothing.
  std::function<SlotSpecs(const ParamSpecs& params)> slots = {};
  /// The slots before the first update; empty: zeros.
  std::function<ValueTree(const ParamSpecs& specs, const ValueTree& params)> init = {};
  /// One of `update` and `steps` is there. This one gives the new updates and leaves the new slots
  /// in place of the old. Updates are f32, or f64 for parameters of f64.
  std::function<ValueTree(const UpdateContext&, const ValueTree& updates, ValueTree& slots)>
      update = {};
  /// This one adds steps to the updates of the context's parameters, or replaces updates. Its slots
  /// lie below `at`.
  std::function<void(const UpdateContext&, PendingUpdates& updates, const std::string& at)> steps =
      {};
};

/// Does what the transform does with the updates of the context's parameters.
void run(const Transform& transform,
         const UpdateContext& context,
         PendingUpdates& updates,
         const std::string& at);

SlotSpecs slot_specs(const Transform& transform, const ParamSpecs& params);
ValueTree initial_slots(const Transform& transform,
                        const ParamSpecs& specs,
                        const ValueTree& params);

/// One after the other. The slots of each lie below its name; a name that appears again gets a
/// number: "clip", "clip_2". Transforms without slots leave no trace in the state.
Transform chain(std::vector<Transform> parts, std::string name = "chain");

/// Leaves the updates as they are.
Transform identity();

}  // namespace meshwright::optim
