// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/autodiff/activity.h"

namespace meshwright::autodiff {

/// "\n  while differentiating sort (decoder, model.cc:7), on the path from result 0: sum <- sort <-
/// exp <- argument 1": how the gradient of a node came to be wanted; for messages.
std::string gradient_path(const graph::Region& region,
                          const Activity& activity,
                          const graph::Node& node);

}  // namespace meshwright::autodiff
