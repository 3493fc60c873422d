// SPDX-License-Identifier: Apache-2.0
// The operations with which stablehlo.reduce and stablehlo.reduce_window combine elements.
#pragma once

#include <string>
#include <string_view>

#include "meshwright/graph/text/writer.h"

namespace meshwright::graph {

/// An associative operation on two scalars.
struct ReductionOp {
  std::string_view op;          // such as "stablehlo.add"
  std::string (*start)(DType);  // returns its neutral element
};

namespace reductions {
extern const ReductionOp kSum, kProduct, kMax, kMin, kAnd, kOr;
}

/// Writes the node as the op `mlir` on one operand, with the reduction as its body.
void write_reduction(Writer& writer,
                     const Node& node,
                     std::string_view mlir,
                     std::string_view attributes,
                     const ReductionOp& reduction);

}  // namespace meshwright::graph
