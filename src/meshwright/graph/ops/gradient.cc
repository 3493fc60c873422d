// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/gradient.h"

#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

std::vector<Type> infer_same(const Node& node) {
  return {node.in(0)};
}

void write_alias(Writer& writer, const Node& node) {
  writer.alias(node, 0, node.operands[0]);
}

void save_vjp(VjpContext& c) {
  c.add(0, [&] { return c.cotangent(); });
}

}  // namespace

const OpDef kStopGradient{
    .name = "stop_gradient", .infer = infer_same, .write = write_alias, .vjp = kZeroGradient};
const OpDef kSave{.name = "save", .infer = infer_same, .write = write_alias, .vjp = save_vjp};

Value stop_gradient(Value x, SourceLoc loc) {
  return emit(kStopGradient, {x}, loc);
}

Value save(Value x, std::string_view name, SourceLoc loc) {
  return emit(kSave, {x}, std::string(name), loc);
}

}  // namespace meshwright::graph
