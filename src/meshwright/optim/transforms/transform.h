// SPDX-License-Identifier: Apache-2.0
// Transforms: the links of an optimizer's chain. learner/learner.h explains how they make an
// update.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "meshwright/optim/transforms/pending.h"

namespace meshwright::optim {

/// The state that a transform keeps between updates. A parameter's slot has the parameter's axes,
/// so both are sharded the same way.
using SlotSpecs = ParamSpecs;

/// Scalars by name, such as "gradient_norm".
using Summaries = std::map<std::string, Value>;

/// The inputs of one update that all transforms share. All trees have the same paths.
struct UpdateContext {
  Value count;  // s32 scalar: updates made before this one
  const ParamSpecs& specs;
  const ValueTree& params;
  Summaries& summaries;

  /// Returns count + 1 as f32; the first update is 1.
  Value update_number() const;
};

struct Transform {
  std::string name;  // prefix of its state paths
  /// Describes the slots. If this is empty, the transform has no state.
  std::function<SlotSpecs(const ParamSpecs& params)> slots = {};
  /// Returns the slots before the first update. If this is empty, the slots are zeros.
  std::function<ValueTree(const ParamSpecs& specs, const ValueTree& params)> init = {};
  // Exactly one of `update` and `steps` is set.

  /// Returns the new updates and replaces the slots. Updates are f32, or f64 for f64 parameters.
  std::function<ValueTree(const UpdateContext&, const ValueTree& updates, ValueTree& slots)>
      update = {};
  /// Appends steps to the pending updates of the context's parameters, or replaces updates. The
  /// transform's slots are under the path `at`.
  std::function<void(const UpdateContext&, PendingUpdates& updates, const std::string& at)> steps =
      {};
};

/// Applies the transform to the updates of the context's parameters.
void run(const Transform& transform,
         const UpdateContext& context,
         PendingUpdates& updates,
         const std::string& at);

SlotSpecs slot_specs(const Transform& transform, const ParamSpecs& params);
ValueTree initial_slots(const Transform& transform,
                        const ParamSpecs& specs,
                        const ValueTree& params);

/// Applies the transforms in order. The slots of each transform are under its name. Repeated names
/// get a number, as in "clip", "clip_2". A transform without slots does not appear in the state.
Transform chain(std::vector<Transform> parts, std::string name = "chain");

/// Leaves updates unchanged.
Transform identity();

}  // namespace meshwright::optim
