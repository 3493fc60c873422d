// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/text/reductions.h"

#include <span>

#include "meshwright/graph/core/literal.h"
#include "meshwright/graph/text/scalar_body.h"

namespace meshwright::graph {
namespace {

std::string zero(DType dtype) {
  return literal(0.0, dtype);
}
std::string one(DType dtype) {
  return literal(1.0, dtype);
}

}  // namespace

namespace reductions {
const ReductionOp kSum{"stablehlo.add", zero};
const ReductionOp kProduct{"stablehlo.multiply", one};
const ReductionOp kMax{"stablehlo.maximum", lowest_literal};
const ReductionOp kMin{"stablehlo.minimum", highest_literal};
const ReductionOp kAnd{"stablehlo.and", all_bits_literal};
const ReductionOp kOr{"stablehlo.or", zero};
}  // namespace reductions

void write_reduction(Writer& writer,
                     const Node& node,
                     std::string_view mlir,
                     std::string_view attributes,
                     const ReductionOp& reduction) {
  const DType dtype = node.in(0).dtype;
  const TextScalar init = writer.constant(reduction.start(dtype), dtype);
  const std::string body = reducer(writer, reduction.op, dtype);
  writer.op_with_regions(node, mlir, attributes, std::span(&body, 1), std::span(&init, 1));
}

}  // namespace meshwright::graph
