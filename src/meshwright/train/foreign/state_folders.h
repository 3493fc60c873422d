// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "meshwright/tensor/foreign_array.h"

namespace meshwright::train {

/// Where a system keeps its parameters and the optimizer's values for them, if each kind of value
/// has a folder with the names of the parameters below it. Paths have no slash at the end.
struct StateFolders {
  std::string params;
  /// By name in the native state: "mu" for learner/.../mu/PARAM.
  std::map<std::string, std::string> slots = {};
};

/// Implements ForeignSystem::state() for parameters and slots. Other paths get no entry.
ForeignArrays arrays_in(const StateFolders& folders,
                        const ForeignArrays& params,
                        const std::vector<std::string>& paths);

}  // namespace meshwright::train
