// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/collectives.h"

#include <algorithm>

#include "meshwright/base/check.h"
#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/collective_axes.h"
#include "meshwright/graph/ops/dims.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/graph/text/scalar_body.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/mesh/device_groups.h"
#include "meshwright/mesh/unknown_axis.h"

namespace meshwright::graph {
std::vector<int> manual_axes(std::string_view op, const MeshAxes& names, SourceLoc loc) {
  const Tracer& tracer = Tracer::current();
  std::vector<int> out;
  for (const std::string& name : names) {
    std::optional<int> axis = tracer.mesh().find_axis(name);
    if (!axis) mesh::fail_unknown_axis(tracer.mesh(), name, op, origin(loc));
    MW_CHECK(tracer.manual_axes().contains(*axis), op, ": mesh axis '", name,
             "' is not manual here; call collectives inside manual(...)", origin(loc));
    MW_CHECK(std::ranges::find(out, *axis) == out.end(), op, ": mesh axis '", name,
             "' is named twice", origin(loc));
    out.push_back(*axis);
  }
  return out;
}

CollectiveAttrs attrs_for(std::string_view op,
                          const MeshAxes& names,
                          std::int64_t dim,
                          std::int64_t concat_dim,
                          SourceLoc loc) {
  std::vector<int> axes = manual_axes(op, names, loc);
  std::int64_t size = mesh::group_size(Tracer::current().mesh(), axes);
  return {.axes = std::move(axes), .size = size, .dim = dim, .concat_dim = concat_dim};
}

std::vector<int> inner_axes(const mesh::Mesh& mesh, std::span<const int> axes) {
  mesh::AxisSet processes = mesh::process_axes(mesh);
  std::vector<int> out(axes.begin(), axes.end());
  std::erase_if(out, [&](int axis) { return processes.contains(axis); });
  return out;
}

namespace {

// Marks x as varying over the axes along which a collective is about to move it.
Value varying_over(Value x, const std::vector<int>& axes, SourceLoc loc) {
  return vary(x, mesh::axis_set(axes), loc);
}

void check_dim(const Node& node, std::int64_t dim) {
  if (dim < 0 || dim >= node.in(0).rank())
    reject(node, "there is no dimension ", dim, " in ", node.in(0));
}

void check_varies(const Node& node, mesh::AxisSet axes) {
  mesh::AxisSet equal = axes - node.in(0).varying;
  if (equal.empty()) return;
  reject(node, node.in(0), " does not vary over mesh axes ",
         to_string(Tracer::current().mesh(), equal),
         ": the sum would add equal terms; leave them out, or multiply by axis_size");
}

std::vector<Type> infer_same(const Node& node) {
  return {node.in(0)};
}

std::vector<Type> infer_all_gather(const Node& node) {
  const auto& attrs = node.attr<CollectiveAttrs>();
  check_dim(node, attrs.dim);
  Dims dims = node.in(0).dims;
  dims[static_cast<std::size_t>(attrs.dim)] *= attrs.size;
  return {Type(node.in(0).dtype, std::move(dims))};
}

void divide_dim(const Node& node, Dims& dims, std::int64_t dim, std::int64_t parts) {
  std::int64_t& size = dims[static_cast<std::size_t>(dim)];
  if (size % parts != 0) {
    reject(node, "dimension ", dim, " of ", node.in(0), " cannot be split into ", parts,
           " equal parts over mesh axes ",
           to_string(Tracer::current().mesh(), mesh::axis_set(node.attr<CollectiveAttrs>().axes)));
  }
  size /= parts;
}

std::vector<Type> infer_reduce_scatter(const Node& node) {
  const auto& attrs = node.attr<CollectiveAttrs>();
  check_dim(node, attrs.dim);
  check_varies(node, mesh::axis_set(attrs.axes));
  Dims dims = node.in(0).dims;
  divide_dim(node, dims, attrs.dim, attrs.size);
  return {Type(node.in(0).dtype, std::move(dims))};
}

std::vector<Type> infer_all_to_all(const Node& node) {
  const auto& attrs = node.attr<CollectiveAttrs>();
  check_dim(node, attrs.dim);
  check_dim(node, attrs.concat_dim);
  Dims dims = node.in(0).dims;
  divide_dim(node, dims, attrs.dim, attrs.size);
  dims[static_cast<std::size_t>(attrs.concat_dim)] *= attrs.size;
  return {Type(node.in(0).dtype, std::move(dims))};
}

std::vector<Type> infer_permute(const Node& node) {
  const auto& attrs = node.attr<PermuteAttrs>();
  std::int64_t size = mesh::group_size(Tracer::current().mesh(), attrs.axes);
  std::vector<char> sends(static_cast<std::size_t>(size)), receives(sends);
  for (auto [from, to] : attrs.pairs) {
    if (from < 0 || from >= size || to < 0 || to >= size) {
      reject(node, "the pair ", from, " to ", to, " is out of range for ", size, " devices");
    }
    if (sends[static_cast<std::size_t>(from)]++ != 0) reject(node, "device ", from, " sends twice");
    if (receives[static_cast<std::size_t>(to)]++ != 0) {
      reject(node, "device ", to, " receives twice");
    }
  }
  return {node.in(0)};
}

mesh::AxisSet reduces_along(const Node& node) {
  return node.attr<mesh::AxisSet>();
}

mesh::AxisSet moves_along(const Node& node) {
  return mesh::axis_set(node.attr<CollectiveAttrs>().axes);
}

mesh::AxisSet permutes_along(const Node& node) {
  return mesh::axis_set(node.attr<PermuteAttrs>().axes);
}

std::vector<mesh::AxisSet> reduced(const Node& node) {
  mesh::AxisSet axes = node.attr<mesh::AxisSet>();
  check_varies(node, axes);
  return {node.in(0).varying - axes};
}

std::vector<mesh::AxisSet> gathered(const Node& node) {
  return {node.in(0).varying - moves_along(node)};
}

constexpr std::string_view kChannel =
    "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>";

std::string replica_groups(const mesh::Mesh& mesh, std::span<const int> axes) {
  auto groups = mesh::device_groups(mesh, inner_axes(mesh, axes));
  return str("replica_groups = dense<", groups, "> : tensor<", groups.size(), "x",
             groups.front().size(), "xi64>");
}

// If all axes are process axes, which have one process each, writes the operand as the result and
// returns true.
bool is_written_as_operand(Writer& writer, const Node& node, std::span<const int> axes) {
  if (!inner_axes(writer.program().mesh, axes).empty()) return false;
  writer.alias(node, 0, node.operands[0]);
  return true;
}

void write_all_reduce(Writer& writer, const Node& node, std::string_view op) {
  std::vector<int> axes = mesh::positions(node.attr<mesh::AxisSet>());
  if (is_written_as_operand(writer, node, axes)) return;
  std::string body = reducer(writer, op, node.in(0).dtype);
  writer.op_with_regions(
      node, "stablehlo.all_reduce",
      str(replica_groups(writer.program().mesh, axes), ", ", kChannel, ", use_global_device_ids"),
      std::span(&body, 1));
}

void write_all_reduce_sum(Writer& writer, const Node& node) {
  write_all_reduce(writer, node, "stablehlo.add");
}
void write_all_reduce_max(Writer& writer, const Node& node) {
  write_all_reduce(writer, node, "stablehlo.maximum");
}
void write_all_reduce_min(Writer& writer, const Node& node) {
  write_all_reduce(writer, node, "stablehlo.minimum");
}

void write_all_gather(Writer& writer, const Node& node) {
  const auto& attrs = node.attr<CollectiveAttrs>();
  if (is_written_as_operand(writer, node, attrs.axes)) return;
  writer.op(node, "stablehlo.all_gather",
            str("all_gather_dim = ", attrs.dim, " : i64, ",
                replica_groups(writer.program().mesh, attrs.axes), ", ", kChannel,
                ", use_global_device_ids"));
}

void write_reduce_scatter(Writer& writer, const Node& node) {
  const auto& attrs = node.attr<CollectiveAttrs>();
  if (is_written_as_operand(writer, node, attrs.axes)) return;
  std::string body = reducer(writer, "stablehlo.add", node.in(0).dtype);
  writer.op_with_regions(node, "stablehlo.reduce_scatter",
                         str("scatter_dimension = ", attrs.dim, " : i64, ",
                             replica_groups(writer.program().mesh, attrs.axes), ", ", kChannel,
                             ", use_global_device_ids"),
                         std::span(&body, 1));
}

void write_all_to_all(Writer& writer, const Node& node) {
  const auto& attrs = node.attr<CollectiveAttrs>();
  if (is_written_as_operand(writer, node, attrs.axes)) return;
  writer.op(node, "stablehlo.all_to_all",
            str("split_dimension = ", attrs.dim, " : i64, concat_dimension = ", attrs.concat_dim,
                " : i64, split_count = ", attrs.size, " : i64, ",
                replica_groups(writer.program().mesh, attrs.axes), ", ", kChannel));
}

void write_permute(Writer& writer, const Node& node) {
  const auto& attrs = node.attr<PermuteAttrs>();
  std::vector<std::vector<std::int64_t>> pairs;
  for (const auto& group : mesh::device_groups(writer.program().mesh, attrs.axes)) {
    for (auto [from, to] : attrs.pairs) {
      pairs.push_back({group[static_cast<std::size_t>(from)], group[static_cast<std::size_t>(to)]});
    }
  }
  std::string list = pairs.empty() ? "" : str(pairs);
  writer.op(node, "stablehlo.collective_permute",
            str("source_target_pairs = dense<", list, "> : tensor<", pairs.size(), "x2xi64>, ",
                kChannel));
}

void all_reduce_vjp(VjpContext& c) {
  c.add(0, [&] { return vary(c.cotangent(), c.attr<mesh::AxisSet>()); });
}

// Emits a collective over mesh axes given by position.
Value emit_collective(const OpDef& op, Value x, CollectiveAttrs attrs, SourceLoc loc = {}) {
  return emit(op, {x}, std::move(attrs), loc);
}

void all_gather_vjp(VjpContext& c) {
  c.add(0,
        [&] { return emit_collective(kReduceScatter, c.cotangent(), c.attr<CollectiveAttrs>()); });
}

void reduce_scatter_vjp(VjpContext& c) {
  c.add(0, [&] { return emit_collective(kAllGather, c.cotangent(), c.attr<CollectiveAttrs>()); });
}

void all_gather_replicated_vjp(VjpContext& c) {
  c.add(0, [&] {
    const auto& attrs = c.attr<CollectiveAttrs>();
    std::int64_t size = c.node().in(0).dims[static_cast<std::size_t>(attrs.dim)];
    Value index = emit(kAxisIndex, {}, attrs, SourceLoc{});
    return dynamic_slice_in_dim(c.cotangent(), attrs.dim, index * size, size);
  });
}

void all_to_all_vjp(VjpContext& c) {
  c.add(0, [&] {
    CollectiveAttrs back = c.attr<CollectiveAttrs>();
    std::swap(back.dim, back.concat_dim);
    return emit_collective(kAllToAll, c.cotangent(), std::move(back));
  });
}

void permute_vjp(VjpContext& c) {
  c.add(0, [&] {
    PermuteAttrs back = c.attr<PermuteAttrs>();
    for (auto& [from, to] : back.pairs)
      std::swap(from, to);
    return emit(kPermute, {c.cotangent()}, std::move(back), SourceLoc{});
  });
}

}  // namespace

const OpDef kAllReduceSum{.name = "all_reduce_sum",
                          .infer = infer_same,
                          .write = write_all_reduce_sum,
                          .vjp = all_reduce_vjp,
                          .varying = reduced,
                          .communicates = reduces_along};
const OpDef kAllReduceMax{.name = "all_reduce_max",
                          .infer = infer_same,
                          .write = write_all_reduce_max,
                          .vjp = kNoGradient,
                          .varying = reduced,
                          .communicates = reduces_along};
const OpDef kAllReduceMin{.name = "all_reduce_min",
                          .infer = infer_same,
                          .write = write_all_reduce_min,
                          .vjp = kNoGradient,
                          .varying = reduced,
                          .communicates = reduces_along};
const OpDef kAllGather{.name = "all_gather",
                       .infer = infer_all_gather,
                       .write = write_all_gather,
                       .vjp = all_gather_vjp,
                       .communicates = moves_along};
const OpDef kAllGatherReplicated{.name = "all_gather_replicated",
                                 .infer = infer_all_gather,
                                 .write = write_all_gather,
                                 .vjp = all_gather_replicated_vjp,
                                 .varying = gathered,
                                 .communicates = moves_along};
const OpDef kReduceScatter{.name = "reduce_scatter",
                           .infer = infer_reduce_scatter,
                           .write = write_reduce_scatter,
                           .vjp = reduce_scatter_vjp,
                           .communicates = moves_along};
const OpDef kAllToAll{.name = "all_to_all",
                      .infer = infer_all_to_all,
                      .write = write_all_to_all,
                      .vjp = all_to_all_vjp,
                      .communicates = moves_along};
const OpDef kPermute{.name = "permute",
                     .infer = infer_permute,
                     .write = write_permute,
                     .vjp = permute_vjp,
                     .communicates = permutes_along};
Value all_reduce_sum(Value x, mesh::AxisSet axes, SourceLoc loc) {
  if (axes.empty()) return x;
  return emit(kAllReduceSum, {x}, axes, loc);
}

Value all_reduce(Value x, const MeshAxes& axes, Reduction reduction, SourceLoc loc) {
  mesh::AxisSet set = mesh::axis_set(manual_axes("all_reduce", axes, loc));
  if (set.empty()) return x;
  switch (reduction) {
    case Reduction::sum:
      return all_reduce_sum(x, set, loc);
    case Reduction::max:
      return emit(kAllReduceMax, {x}, set, loc);
    case Reduction::min:
      return emit(kAllReduceMin, {x}, set, loc);
  }
  return x;
}

Value all_gather(Value x, std::int64_t dim, const MeshAxes& axes, SourceLoc loc) {
  CollectiveAttrs attrs = attrs_for("all_gather", axes, from_start(dim, x.rank()), 0, loc);
  return emit_collective(kAllGather, varying_over(x, attrs.axes, loc), attrs, loc);
}

Value all_gather_replicated(Value x, std::int64_t dim, const MeshAxes& axes, SourceLoc loc) {
  CollectiveAttrs attrs =
      attrs_for("all_gather_replicated", axes, from_start(dim, x.rank()), 0, loc);
  return emit_collective(kAllGatherReplicated, varying_over(x, attrs.axes, loc), attrs, loc);
}

Value reduce_scatter(Value x, std::int64_t dim, const MeshAxes& axes, SourceLoc loc) {
  return emit_collective(kReduceScatter, x,
                         attrs_for("reduce_scatter", axes, from_start(dim, x.rank()), 0, loc), loc);
}

Value all_to_all(
    Value x, std::int64_t split_dim, std::int64_t concat_dim, const MeshAxes& axes, SourceLoc loc) {
  CollectiveAttrs attrs = attrs_for("all_to_all", axes, from_start(split_dim, x.rank()),
                                    from_start(concat_dim, x.rank()), loc);
  return emit_collective(kAllToAll, varying_over(x, attrs.axes, loc), attrs, loc);
}

Value permute(Value x,
              const MeshAxes& axes,
              std::vector<std::pair<std::int64_t, std::int64_t>> pairs,
              SourceLoc loc) {
  PermuteAttrs attrs{manual_axes("permute", axes, loc), std::move(pairs)};
  Value varying = varying_over(x, attrs.axes, loc);
  return emit(kPermute, {varying}, std::move(attrs), loc);
}

Value ring_shift(Value x, const MeshAxes& axes, std::int64_t by, SourceLoc loc) {
  std::int64_t size = axis_size(axes, loc);
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (std::int64_t from = 0; from < size; ++from)
    pairs.emplace_back(from, ((from + by) % size + size) % size);
  return permute(x, axes, std::move(pairs), loc);
}

}  // namespace meshwright::graph
