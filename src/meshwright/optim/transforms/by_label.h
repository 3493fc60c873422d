// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

/// Says by which transform a parameter is served.
using Label = std::function<std::string(const std::string& path, const ParamSpec& spec)>;

/// Transforms that serve different parameters. Slots and summaries of each lie below its label.
/// Throws invalid_argument for a label that has no transform.
Transform by_label(Label label,
                   std::vector<std::pair<std::string, Transform>> transforms,
                   std::string name = "by_label");

}  // namespace meshwright::optim
