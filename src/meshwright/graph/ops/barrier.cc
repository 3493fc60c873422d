// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/barrier.h"

#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

std::vector<Type> infer_barrier(const Node& node) {
  std::vector<Type> types;
  for (const Value& operand : node.operands)
    types.push_back(operand.type());
  return types;
}

std::vector<mesh::AxisSet> varies_as_before(const Node& node) {
  std::vector<mesh::AxisSet> varying;
  for (const Value& operand : node.operands)
    varying.push_back(operand.type().varying);
  return varying;
}

void barrier_vjp(VjpContext& c) {
  std::vector<int> positions;
  std::vector<Value> gradients;
  for (int i = 0; i < c.node().num_operands(); ++i) {
    if (!c.needs(i) || !c.has_cotangent(i)) continue;
    positions.push_back(i);
    gradients.push_back(c.cotangent(i));
  }
  gradients = optimization_barrier(std::move(gradients));
  for (std::size_t i = 0; i < gradients.size(); ++i)
    c.add(positions[i], gradients[i]);
}

}  // namespace

const OpDef kOptimizationBarrier{.name = "optimization_barrier",
                                 .mlir = "stablehlo.optimization_barrier",
                                 .infer = infer_barrier,
                                 .vjp = barrier_vjp,
                                 .varying = varies_as_before};

std::vector<Value> optimization_barrier(std::vector<Value> values, SourceLoc loc) {
  if (values.empty()) return values;
  return emit_all(kOptimizationBarrier, std::move(values), {}, {}, loc);
}

Value optimization_barrier(Value x, SourceLoc loc) {
  return optimization_barrier(std::vector<Value>{x}, loc)[0];
}

}  // namespace meshwright::graph
