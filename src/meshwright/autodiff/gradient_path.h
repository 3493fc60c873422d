// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/autodiff/activity.h"

namespace meshwright::autodiff {

/// Returns message text that shows why the gradient of a node is needed, such as
/// "\n  while differentiating sort (decoder, model.cc:7) on the path sum <- sort <- argument 1".
std::string gradient_path(const graph::Region& region,
                          const Activity& activity,
                          const graph::Node& node);

}  // namespace meshwright::autodiff
