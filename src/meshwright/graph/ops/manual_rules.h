// SPDX-License-Identifier: Apache-2.0
// Gradient rules of kManual. Internal to graph/ops/.
#pragma once

#include <vector>

#include "meshwright/graph/core/value.h"

namespace meshwright::graph {

class VjpContext;

std::vector<Value> manual_augment(VjpContext& context);
void manual_vjp(VjpContext& context);

}  // namespace meshwright::graph
