// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

/// Returns the label that selects the transform for a parameter.
using Label = std::function<std::string(const std::string& path, const ParamSpec& spec)>;

/// Applies to each parameter's update the transform that its label selects. The slots and summaries
/// of a transform are under its label. Throws invalid_argument for a label without a transform.
Transform by_label(Label label,
                   std::vector<std::pair<std::string, Transform>> transforms,
                   std::string name = "by_label");

}  // namespace meshwright::optim
