// SPDX-License-Identifier: Apache-2.0
// Gradient rules of kCond and kSwitchCase. Internal to graph/ops/.
#pragma once

#include <vector>

#include "meshwright/graph/core/value.h"

namespace meshwright::graph {

class VjpContext;

std::vector<Value> augment_branches(VjpContext& context);
void branches_vjp(VjpContext& context);

}  // namespace meshwright::graph
