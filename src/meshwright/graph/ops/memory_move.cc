// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/memory_move.h"

#include <string_view>

#include "meshwright/base/str.h"
#include "meshwright/graph/core/program.h"
#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

std::vector<Type> infer_moved(const Node& node) {
  return {node.in(0)};
}

void write_move(Writer& writer, const Node& node) {
  const std::string_view kind = node.op == &kToHost ? kPinnedHost : "device";
  const std::string result = writer.fresh_name();
  // The placement is no property of custom calls, so that it follows in a dictionary of its own.
  writer.line(str(result, " = \"stablehlo.custom_call\"(", writer.name(node.operands[0]),
                  ") <{call_target_name = \"annotate_device_placement\", api_version = 1 : i32, "
                  "has_side_effect = true}> {mhlo.frontend_attributes = {_xla_buffer_placement = ",
                  mlir_string(kind), "}} : (", mlir_type(node.in(0)), ") -> ",
                  mlir_type(node.out()), writer.location(node)));
  writer.set_name(node, result);
}

// Cotangents stay on the device.
void move_vjp(VjpContext& c) {
  c.add(0, [&] { return c.cotangent(); });
}

}  // namespace

const OpDef kToHost{.name = "to_host", .infer = infer_moved, .write = write_move, .vjp = move_vjp};
const OpDef kToDevice{
    .name = "to_device", .infer = infer_moved, .write = write_move, .vjp = move_vjp};

Value to_host(Value x, SourceLoc loc) {
  return emit(kToHost, {x}, loc);
}

Value to_device(Value x, SourceLoc loc) {
  return emit(kToDevice, {x}, loc);
}

}  // namespace meshwright::graph
