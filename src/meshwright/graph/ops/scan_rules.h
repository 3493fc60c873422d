// SPDX-License-Identifier: Apache-2.0
// Text and gradient rules of kScan. Internal to graph/ops/.
#pragma once

#include <vector>

#include "meshwright/graph/core/value.h"

namespace meshwright::graph {

class VjpContext;
class Writer;

void write_scan(Writer& writer, const Node& node);
std::vector<Value> augment_scan(VjpContext& context);
void scan_vjp(VjpContext& context);

}  // namespace meshwright::graph
