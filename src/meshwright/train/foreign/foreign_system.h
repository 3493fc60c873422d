// SPDX-License-Identifier: Apache-2.0
// The interface to another training system: the conventions that a run can follow. Programs pass a
// list of systems to the functions that need one, for example in Job::systems.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/nn/module.h"
#include "meshwright/optim/learner/learner.h"
#include "meshwright/tensor/foreign_array.h"
#include "meshwright/train/loop/preset.h"

namespace meshwright::train {

/// Values that a system assumes if a config does not set them.
struct SystemDefaults {
  /// Targets with this token do not count in the loss. If absent, all targets count.
  std::optional<std::int64_t> padding_id = {};
};

/// A training state (train/step/state.h) to be named.
struct StateToName {
  const nn::Module& model;
  const ForeignArrays& params;  // the result of ForeignSystem::params()
  const std::vector<std::string>& paths;
  const optim::LearnerOptions& learner;
};

class ForeignSystem {
 public:
  virtual ~ForeignSystem() = default;

  /// Name in configs: a value of `preset.name`. Also the name of the system's checkpoint format, if
  /// it has its own.
  virtual std::string_view name() const = 0;
  virtual Preset preset(const PresetIntervals& intervals) const = 0;

  /// Returns the names and layouts of a model's parameters, keyed by path below "model/". Empty if
  /// the system has no such model.
  virtual ForeignArrays params(const nn::Module& /*model*/) const { return {}; }
  /// Returns the names and layouts of a training state.
  virtual ForeignArrays state(const StateToName& /*state*/) const { return {}; }
  /// Returns arrays that the system expects in a checkpoint of this step and that no run has.
  virtual Tree<HostTensor> more_arrays(const StateToName& /*state*/) const { return {}; }

  /// Returns the defaults for a model in the system's style.
  virtual SystemDefaults defaults(const nn::Module& /*model*/) const { return {}; }
};

/// Pointers are never null.
using ForeignSystems = std::vector<const ForeignSystem*>;

/// Returns nullptr if no system has this name.
const ForeignSystem* find_system(const ForeignSystems& systems, std::string_view name);

/// Returns the defaults of the first system that has any for this model.
SystemDefaults defaults_for(const ForeignSystems& systems, const nn::Module& model);

}  // namespace meshwright::train
