// SPDX-License-Identifier: Apache-2.0
// The position of a device along mesh axes.
#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/collective_axes.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/mesh/device_groups.h"

namespace meshwright::graph {
namespace {

std::vector<Type> infer_axis_index(const Node& /*node*/) {
  return {Type(s32, {})};
}

std::vector<mesh::AxisSet> index_varies(const Node& node) {
  return {mesh::axis_set(node.attr<CollectiveAttrs>().axes)};
}

const ArrayType kIndex{s32, {}};

TextValue constant_s32(Writer& writer, std::int64_t number) {
  return writer.aside("stablehlo.constant", {}, str("value = dense<", number, "> : tensor<i32>"),
                      kIndex);
}

// Computes the position from the number of the device; devices are numbered row-major in the mesh.
TextValue write_index_arithmetic(Writer& writer, const CollectiveAttrs& attrs) {
  const mesh::Mesh& mesh = writer.program().mesh;
  auto binary = [&](std::string_view op, const TextValue& a, const TextValue& b) {
    return writer.aside(str("stablehlo.", op), {a, b}, "", kIndex);
  };
  TextValue id = writer.aside("stablehlo.partition_id", {}, "", {u32, {}});
  TextValue device = writer.aside("stablehlo.convert", {id}, "", kIndex);
  TextValue out = constant_s32(writer, 0);
  for (int axis : inner_axes(mesh, attrs.axes)) {
    std::int64_t stride = 1;
    for (std::size_t i = static_cast<std::size_t>(axis) + 1; i < mesh.axes().size(); ++i)
      stride *= mesh.axes()[i].size;
    TextValue size = constant_s32(writer, mesh.axes()[static_cast<std::size_t>(axis)].size);
    TextValue slower = binary("divide", device, constant_s32(writer, stride));
    out = binary("add", binary("multiply", out, size), binary("remainder", slower, size));
  }
  return out;
}

// partition_id is available only where all mesh axes are manual. In a region that is manual over
// some of them, the arithmetic goes into a nested region over the others.
void write_axis_index(Writer& writer, const Node& node) {
  const auto& attrs = node.attr<CollectiveAttrs>();
  const mesh::Mesh& mesh = writer.program().mesh;
  if (inner_axes(mesh, attrs.axes).empty()) {
    writer.set_name(node, constant_s32(writer, 0).name);
    return;
  }
  mesh::AxisSet others = mesh::all_axes(mesh) - writer.manual_axes();
  if (others.empty()) {
    writer.set_name(node, write_index_arithmetic(writer, attrs).name);
    return;
  }
  std::string region = writer.block({}, [&](std::span<const TextValue> /*args*/) {
    TextValue index = write_index_arithmetic(writer, attrs);
    writer.finish("sdy.return", std::span(&index, 1));
  });
  std::string attributes =
      str("in_shardings = #sdy.sharding_per_value<[]>, out_shardings = #sdy.sharding_per_value<[",
          sdy_sharding_body({}, 0), "]>, manual_axes = ", sdy_manual_axes(mesh, others));
  auto results = writer.write_op("sdy.manual_computation", {}, attributes, std::span(&region, 1),
                                 std::span(&kIndex, 1), writer.location(node));
  writer.set_name(node, results[0].name);
}

}  // namespace

const OpDef kAxisIndex{.name = "axis_index",
                       .infer = infer_axis_index,
                       .write = write_axis_index,
                       .vjp = kZeroGradient,
                       .varying = index_varies,
                       .cheap = true};

Value axis_index(const MeshAxes& axes, SourceLoc loc) {
  return emit(kAxisIndex, {}, attrs_for("axis_index", axes, 0, 0, loc), loc);
}

std::int64_t axis_size(const MeshAxes& axes, SourceLoc loc) {
  return mesh::group_size(Tracer::current().mesh(), manual_axes("axis_size", axes, loc));
}

}  // namespace meshwright::graph
