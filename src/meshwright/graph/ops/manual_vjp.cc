// SPDX-License-Identifier: Apache-2.0
// The gradient of a manual region: one region for the forward pass and one for the backward pass.
// Kept values leave the first and enter the second sharded over the mesh axes over which they vary.
#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/manual.h"
#include "meshwright/graph/ops/manual_rules.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/tracing/rewrite.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/mesh/device_groups.h"
#include "meshwright/mesh/shards.h"

namespace meshwright::graph {
namespace {

// State passed from manual_augment to manual_vjp.
struct ManualVjp {
  Region* backward = nullptr;
  std::vector<mesh::Sharding> in;   // per kept value: its sharding outside the regions
  std::vector<Dims> part_dims;      // per kept value: its shape in the regions
  std::vector<int> wrt;             // operands that need a gradient
  std::vector<int> with_cotangent;  // results that may have a cotangent
};

// Returns the sharding with which a kept value leaves the region. The values of all devices form
// one array, split along its first dimension over the axes over which the value varies.
mesh::Sharding kept_sharding(const mesh::Mesh& mesh, mesh::AxisSet varying) {
  mesh::Sharding out;
  if (varying.empty()) return out;
  out.dims.emplace_back();
  for (int axis : mesh::positions(varying))
    out.dims[0].push_back(mesh.axes()[static_cast<std::size_t>(axis)].name);
  return out;
}

Value with_a_dimension(Value x) {
  return x.rank() == 0 ? reshape(x, {1}) : x;
}

RegionVjpOptions vjp_options(VjpContext& c, ManualVjp& state) {
  RegionVjpOptions options;
  for (int i = 0; i < c.node().num_operands(); ++i) {
    options.wrt.push_back(c.needs(i));
    if (c.needs(i)) state.wrt.push_back(i);
  }
  for (int i = 0; i < c.node().num_results(); ++i) {
    options.with_cotangent.push_back(c.has_cotangent(i));
    if (c.has_cotangent(i)) state.with_cotangent.push_back(i);
  }
  return options;
}

// Traces the forward region with the kept values as further results. A scalar that varies leaves as
// [1], so that it has a dimension to split.
Region& forward_with_kept(const RegionVjp& split, std::size_t num_results) {
  std::vector<Type> types;
  for (const Node* arg : split.forward->args)
    types.push_back(arg->out());
  return Tracer::current().trace_region(types, [&](std::span<const Value> args) {
    std::vector<Value> all = inline_region(*split.forward, args);
    std::vector<Value> results(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(num_results));
    for (std::size_t i = 0; i < split.kept_argument.size(); ++i) {
      Value kept = all[num_results + i];
      if (split.kept_argument[i] >= 0) continue;
      results.push_back(kept.type().varying.empty() ? kept : with_a_dimension(kept));
    }
    return results;
  });
}

// Traces the backward region for kept values with the shapes in which they enter.
Region& backward_of_wholes(const ManualVjp& state,
                           std::span<const Value> kept,
                           const mesh::Mesh& mesh) {
  std::vector<Type> types;
  for (int i = 0; i < state.backward->num_args(); ++i) {
    Type type = state.backward->arg(i).type();
    if (static_cast<std::size_t>(i) < kept.size()) {
      auto at = static_cast<std::size_t>(i);
      type.dims = mesh::shard_dims(mesh, state.in[at], kept[at].dims());
    }
    types.push_back(std::move(type));
  }
  return Tracer::current().trace_region(types, [&](std::span<const Value> args) {
    std::vector<Value> parts(args.begin(), args.end());
    for (std::size_t i = 0; i < kept.size(); ++i)
      parts[i] = reshape(parts[i], state.part_dims[i]);
    return inline_region(*state.backward, parts);
  });
}

}  // namespace

std::vector<Value> manual_augment(VjpContext& c) {
  const Node& node = c.node();
  const mesh::Mesh& mesh = Tracer::current().mesh();
  ManualAttrs attrs = c.attr<ManualAttrs>();
  ManualVjp state;
  RegionVjp split;
  Region* forward = nullptr;
  {
    ManualScope scope(attrs.axes);
    split = c.differentiate(*node.regions[0], vjp_options(c, state));
    forward = &forward_with_kept(split, node.types.size());
  }
  state.backward = split.backward;
  for (std::size_t i = 0; i < split.kept_argument.size(); ++i) {
    const Type& part = split.backward->arg(static_cast<int>(i)).type();
    state.part_dims.push_back(part.dims);
    int argument = split.kept_argument[i];
    state.in.push_back(argument >= 0 ? attrs.in[static_cast<std::size_t>(argument)]
                                     : kept_sharding(mesh, part.varying & attrs.axes));
    if (argument < 0) attrs.out.push_back(state.in.back());
  }
  std::vector<Value> operands;
  for (int i = 0; i < node.num_operands(); ++i)
    operands.push_back(c.operand(i));
  std::vector<Value> results = emit_all(kManual, operands, attrs, {forward}, node.loc);
  std::size_t next = node.types.size();
  std::vector<Value> out(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(next));
  for (int argument : split.kept_argument) {
    out.push_back(argument >= 0 ? operands[static_cast<std::size_t>(argument)] : results[next++]);
  }
  c.state() = std::move(state);
  return out;
}

void manual_vjp(VjpContext& c) {
  const auto& attrs = c.attr<ManualAttrs>();
  const auto& state = std::any_cast<const ManualVjp&>(c.state());
  ManualAttrs back{.axes = attrs.axes, .in = state.in, .out = {}};
  std::vector<Value> operands(c.kept().begin(), c.kept().end());
  for (int result : state.with_cotangent) {
    operands.push_back(c.cotangent(result));
    back.in.push_back(attrs.out[static_cast<std::size_t>(result)]);
  }
  for (int operand : state.wrt)
    back.out.push_back(attrs.in[static_cast<std::size_t>(operand)]);
  Region* region = nullptr;
  {
    ManualScope scope(attrs.axes);
    region = &backward_of_wholes(state, c.kept(), Tracer::current().mesh());
  }
  std::vector<Value> gradients =
      emit_all(kManual, std::move(operands), std::move(back), {region}, c.node().loc);
  for (std::size_t i = 0; i < state.wrt.size(); ++i)
    c.add(state.wrt[i], gradients[i]);
}

}  // namespace meshwright::graph
