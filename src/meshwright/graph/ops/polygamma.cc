// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/check.h"
#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

std::vector<Type> infer_polygamma(const Node& node) {
  if (!is_float(node.in(0).dtype)) reject(node, "expects floats, got ", node.in(0));
  if (node.attr<int>() < 0) reject(node, "order ", node.attr<int>(), " is negative");
  return {node.in(0)};
}

void write_polygamma(Writer& writer, const Node& node) {
  TextValue x = writer.text_value(node.operands[0]);
  std::string value = str("value = dense<", node.attr<int>(), ".0> : ", mlir_type(x.type));
  std::array operands = {writer.aside("stablehlo.constant", {}, value, x.type), x};
  auto result = writer.write_op("chlo.polygamma", operands, "", {}, std::span(&x.type, 1),
                                writer.location(node));
  writer.set_name(node, result[0].name);
}

void polygamma_vjp(VjpContext& c) {
  c.add(0, [&] { return c.cotangent() * polygamma(c.attr<int>() + 1, c.operand(0)); });
}

}  // namespace

const OpDef kPolygamma{
    .name = "polygamma", .infer = infer_polygamma, .write = write_polygamma, .vjp = polygamma_vjp};

Value polygamma(int order, Operand x) {
  MW_CHECK(x.is_value(), "polygamma: expects an array", origin(x.loc()));
  return emit(kPolygamma, {x.value()}, order, x.loc());
}

}  // namespace meshwright::graph
