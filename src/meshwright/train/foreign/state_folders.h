// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "meshwright/tensor/foreign_array.h"

namespace meshwright::train {

/// The folders of a system that keeps its parameters and each kind of optimizer slot in separate
/// folders, with the parameters' names below each. Paths have no trailing slash.
struct StateFolders {
  std::string params;
  /// Keyed by the slot's name in the native state: "mu" for learner/.../mu/PARAM.
  std::map<std::string, std::string> slots = {};
};

/// Implements ForeignSystem::state() for parameters and slots. Other paths get no entry.
ForeignArrays arrays_in(const StateFolders& folders,
                        const ForeignArrays& params,
                        const std::vector<std::string>& paths);

}  // namespace meshwright::train
