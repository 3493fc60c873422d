// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/core/op_def.h"

#include "meshwright/graph/core/vjp.h"

namespace meshwright::graph {

void zero_gradient(VjpContext& /*context*/) {}

void no_gradient(VjpContext& context) {
  const Node& node = context.node();
  fail(ErrorCode::invalid_argument, node.op->name,
       ": has no gradient; if none is needed, apply stop_gradient to its result (",
       to_string(node.out().array()), ")");
}

}  // namespace meshwright::graph
