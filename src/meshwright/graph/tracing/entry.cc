// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/tracing/entry.h"

#include <algorithm>
#include <utility>

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/collectives.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/gradient.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/tracing/declared_sharding.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/mesh/device_groups.h"

namespace meshwright::graph {
namespace {

// Returns the leading mesh axes of a dimension that become manual, major to minor.
std::vector<std::string> leading(const std::vector<std::string>& axes,
                                 mesh::AxisSet manual,
                                 const mesh::Mesh& mesh) {
  auto is_manual = [&](const std::string& name) { return manual.contains(mesh.axis_index(name)); };
  return {axes.begin(), std::ranges::find_if_not(axes, is_manual)};
}

// True if the op changes only dtype and shape, so that `vary` can also be applied before it.
bool is_form(const Node& node) {
  return node.op == &kConvert || node.op == &kReshape || node.op == &kTranspose ||
         node.op == &kBroadcastInDim || node.op == &kSave;
}

// Returns x before such ops and appends them to `steps`, last first.
Value before_steps(Value x, std::vector<const Node*>& steps) {
  while (is_form(*x.node())) {
    steps.push_back(x.node());
    x = x.node()->operands[0];
  }
  return x;
}

Value with_steps(Value x, const std::vector<const Node*>& steps, SourceLoc loc) {
  for (std::size_t i = steps.size(); i-- > 0;)
    x = emit(*steps[i]->op, {x}, steps[i]->attrs, loc);
  return x;
}

// Returns the gathers that produced this value from a shard, last first; empty if it is not a
// gathered entry.
std::vector<const Node*> gathers_of_entry(Value x) {
  std::vector<const Node*> gathers;
  while (x.node()->op == &kAllGatherReplicated) {
    gathers.push_back(x.node());
    x = x.node()->operands[0];
  }
  bool is_entry = x.node()->op == &kArgument && x.node()->region->is_manual() && find_capture(x);
  return is_entry ? gathers : std::vector<const Node*>();
}

// Casts before gathering, since casts usually shrink the data to move.
Value gathered_varying(const std::vector<const Node*>& gathers,
                       std::vector<const Node*> steps,
                       mesh::AxisSet axes,
                       SourceLoc loc) {
  Value x = vary(gathers.back()->operands[0], axes, loc);
  while (!steps.empty() && steps.back()->op == &kConvert) {
    x = emit(kConvert, {x}, steps.back()->attrs, loc);
    steps.pop_back();
  }
  for (std::size_t i = gathers.size(); i-- > 0;)
    x = emit(kAllGather, {x}, gathers[i]->attrs, loc);
  return with_steps(x, steps, loc);
}

}  // namespace

mesh::Sharding cut_at_entry(const Region& region, const Value& outer, const mesh::Mesh& mesh) {
  std::optional<mesh::Sharding> lying = find_declared_sharding(outer);
  if (!lying) return {};
  mesh::AxisSet manual = region.manual_axes - region.parent->manual_axes;
  mesh::Sharding cut;
  for (std::size_t i = 0; i < lying->dims.size(); ++i) {
    std::vector<std::string> axes = leading(lying->dims[i], manual, mesh);
    std::int64_t parts = 1;
    for (const std::string& axis : axes)
      parts *= mesh.axis_size(axis);
    if (outer.dims()[i] % parts != 0) axes.clear();
    cut.dims.push_back(std::move(axes));
  }
  return cut;
}

Type shard_at_entry(const Value& outer, const mesh::Sharding& cut, const mesh::Mesh& mesh) {
  Type part = outer.type();
  for (std::size_t i = 0; i < cut.dims.size(); ++i) {
    for (const std::string& axis : cut.dims[i]) {
      part.dims[i] /= mesh.axis_size(axis);
      part.varying = part.varying | mesh::AxisSet::of(mesh.axis_index(axis));
    }
  }
  return part;
}

Value gathered_entry(Value part, const mesh::Sharding& cut) {
  for (std::size_t i = 0; i < cut.dims.size(); ++i) {
    if (!cut.dims[i].empty())
      part = all_gather_replicated(part, static_cast<std::int64_t>(i), cut.dims[i]);
  }
  return part;
}

std::optional<Value> find_varied_at_source(Value x,
                                           mesh::AxisSet axes,
                                           const InRegion& in_region,
                                           SourceLoc loc) {
  std::vector<const Node*> steps;
  Value source = before_steps(x, steps);
  std::vector<const Node*> gathers = gathers_of_entry(source);
  if (!gathers.empty()) {
    for (const Node* gather : gathers) {
      if (!axes.contains(mesh::axis_set(gather->attr<CollectiveAttrs>().axes))) return std::nullopt;
    }
    return gathered_varying(gathers, std::move(steps), axes, loc);
  }
  if (source.node()->op != &kArgument) return std::nullopt;
  std::optional<Value> outer = find_capture(source);
  Region* around = source.node()->region->parent;
  if (!outer || !around->manual_axes.contains(axes)) return std::nullopt;
  Value varied = in_region(*around, [&] { return vary(*outer, axes, loc); });
  return with_steps(Tracer::current().import(varied), steps, loc);
}

}  // namespace meshwright::graph
