// SPDX-License-Identifier: Apache-2.0
// The parts of OpDefs kCond and kSwitchCase that have files of their own.
#pragma once

#include <vector>

#include "meshwright/graph/core/value.h"

namespace meshwright::graph {

class VjpContext;

std::vector<Value> augment_branches(VjpContext& context);
void branches_vjp(VjpContext& context);

}  // namespace meshwright::graph
