// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/manual.h"

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/rewrite.h"
#include "meshwright/graph/tracer.h"
#include "meshwright/graph/vjp.h"
#include "meshwright/graph/writer.h"
#include "meshwright/mesh/device_groups.h"
#include "meshwright/mesh/shards.h"

namespace meshwright::graph {
namespace {

std::int64_t num_parts(const mesh::Mesh& mesh, const mesh::Sharding& sharding, std::size_t dim) {
  std::int64_t parts = 1;
  if (dim >= sharding.dims.size()) return parts;
  for (const std::string& axis : sharding.dims[dim])
    parts *= mesh.axis_size(axis);
  return parts;
}

Dims whole_dims(const mesh::Mesh& mesh, const mesh::Sharding& sharding, Dims dims) {
  for (std::size_t i = 0; i < dims.size(); ++i)
    dims[i] *= num_parts(mesh, sharding, i);
  return dims;
}

std::vector<Type> infer_manual(const Node& node) {
  const auto& attrs = node.attr<ManualAttrs>();
  const Region& body = *node.regions[0];
  const mesh::Mesh& mesh = Tracer::current().mesh();
  if (std::ssize(attrs.in) != node.num_operands() || body.num_args() != node.num_operands()) {
    reject(node, node.num_operands(), " operands for a body of ", body.num_args(), " arguments");
  }
  for (int i = 0; i < node.num_operands(); ++i) {
    Dims part = mesh::shard_dims(mesh, attrs.in[static_cast<std::size_t>(i)], node.in(i).dims);
    if (part != body.arg(i).dims()) {
      reject(node, "a part of operand ", i, " is ", part, " but the body takes ", body.arg(i));
    }
  }
  std::vector<Type> types;
  for (std::size_t i = 0; i < body.results.size(); ++i) {
    const Type& part = body.results[i].type();
    types.emplace_back(part.dtype, whole_dims(mesh, attrs.out[i], part.dims));
  }
  return types;
}

// Outside, a result varies only over the axes of the regions around this one.
std::vector<mesh::AxisSet> manual_varying(const Node& node) {
  std::vector<mesh::AxisSet> out;
  for (const Value& result : node.regions[0]->results)
    out.push_back(result.type().varying - node.attr<ManualAttrs>().axes);
  return out;
}

void write_manual(Writer& writer, const Node& node) {
  const auto& attrs = node.attr<ManualAttrs>();
  const mesh::Mesh& mesh = writer.program().mesh;
  mesh::AxisSet outer = writer.manual_axes();
  bool open = (outer | attrs.axes) != mesh::all_axes(mesh);
  auto list = [&](const std::vector<mesh::Sharding>& shardings, auto&& rank) {
    std::string out;
    for (std::size_t i = 0; i < shardings.size(); ++i) {
      int dims = rank(static_cast<int>(i));
      out += i > 0 ? ", " : "";
      out +=
          open ? sdy_open_sharding_body(shardings[i], dims) : sdy_sharding_body(shardings[i], dims);
    }
    return str("#sdy.sharding_per_value<[", out, "]>");
  };
  std::string in = list(attrs.in, [&](int i) { return node.in(i).rank(); });
  std::string out = list(attrs.out, [&](int i) { return node.out(i).rank(); });
  writer.set_manual_axes(outer | attrs.axes);
  std::string body = writer.body(*node.regions[0], "sdy.return");
  writer.set_manual_axes(outer);
  writer.op_with_regions(node, "sdy.manual_computation",
                         str("in_shardings = ", in, ", out_shardings = ", out,
                             ", manual_axes = ", sdy_manual_axes(mesh, attrs.axes)),
                         std::span(&body, 1));
}

mesh::AxisSet axes_of_region(const Tracer& tracer, const ManualOptions& options, SourceLoc loc) {
  const mesh::Mesh& mesh = tracer.mesh();
  mesh::AxisSet axes;
  for (const std::string& name : options.axes) {
    std::optional<int> axis = mesh.find_axis(name);
    MW_CHECK(axis.has_value(), "manual: mesh axis '", name, "' does not exist; the mesh is ", mesh,
             origin(loc));
    axes = axes | mesh::AxisSet::of(*axis);
  }
  if (options.axes.empty()) axes = mesh::all_axes(mesh);
  mesh::AxisSet twice = axes & tracer.manual_axes();
  MW_CHECK(twice.empty(), "manual: mesh axes ", to_string(mesh, twice),
           " are manual already in the region around", origin(loc));
  return axes;
}

// The axes that split the array, all of which must be manual in the region.
mesh::AxisSet check_spec(const mesh::Mesh& mesh,
                         const mesh::Sharding& sharding,
                         mesh::AxisSet axes,
                         SourceLoc loc) {
  mesh::AxisSet used = mesh::check_sharding(mesh, sharding);
  MW_CHECK(axes.contains(used), "manual: ", sharding, " splits by mesh axes ",
           to_string(mesh, used - axes), ", which are not manual in this region", origin(loc));
  return used;
}

std::vector<Type> part_types(const Tracer& tracer,
                             const std::vector<Value>& inputs,
                             const std::vector<mesh::Sharding>& shardings,
                             mesh::AxisSet axes,
                             SourceLoc loc) {
  MW_CHECK(inputs.size() == shardings.size(), "manual: ", inputs.size(), " inputs but ",
           shardings.size(), " specs", origin(loc));
  std::vector<Type> types;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    mesh::AxisSet split = check_spec(tracer.mesh(), shardings[i], axes, loc);
    try {
      types.emplace_back(inputs[i].dtype(),
                         mesh::shard_dims(tracer.mesh(), shardings[i], inputs[i].dims()),
                         inputs[i].type().varying | split);
    } catch (const Error& error) {
      fail(error.code(), "manual: input ", i, ": ", error.message(), origin(loc));
    }
  }
  return types;
}

// A result that is equal along an axis that splits it is marked as varying, so that its gradient is
// summed; the opposite is a mistake of the body.
Value checked_result(Tracer& tracer,
                     Value result,
                     std::size_t number,
                     const mesh::Sharding& sharding,
                     mesh::AxisSet axes,
                     SourceLoc loc) {
  mesh::AxisSet split = check_spec(tracer.mesh(), sharding, axes, loc);
  mesh::AxisSet extra = (result.type().varying & axes) - split;
  MW_CHECK(extra.empty(), "manual: result ", number, ", ", result, " of ", result.node()->op->name,
           origin(tracer.graph(), *result.node()), ", differs along mesh axes ",
           to_string(tracer.mesh(), extra), ", but its spec ", sharding,
           " says it is equal there; all_reduce it, or split a dimension by them", origin(loc));
  MW_CHECK(std::ssize(sharding.dims) <= result.rank(), "manual: the spec ", sharding, " of result ",
           number, " has more dimensions than ", result, origin(loc));
  return vary(result, split, loc);
}

std::string what(const Value& x, const mesh::ShardSpec& spec) {
  return str(x, " typed '", spec, "'");
}

// What the backward region needs to know of the forward one.
struct ManualVjp {
  Region* backward = nullptr;
  std::vector<mesh::Sharding> in;   // of the kept arrays
  std::vector<Dims> part_dims;      // of them in the region; a part of no dimension leaves as [1]
  std::vector<int> wrt;             // operands
  std::vector<int> with_cotangent;  // results
};

// A kept value that differs by device leaves the region as if the parts were one array, cut along
// its first dimension over all axes along which they differ.
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

// The region once more, with results for what the backward region needs.
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

// The backward region with kept parts in the form in which they come in.
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

}  // namespace

const OpDef kManual{.name = "manual",
                    .infer = infer_manual,
                    .write = write_manual,
                    .vjp = manual_vjp,
                    .augment = manual_augment,
                    .varying = manual_varying};

std::vector<Value> manual(const std::vector<Value>& inputs,
                          const ManualShardings& shardings,
                          const ManualBody& body,
                          const ManualOptions& options,
                          SourceLoc loc) {
  Tracer& tracer = Tracer::current();
  MW_CHECK(!tracer.mesh().axes().empty(), "manual: the program is traced without a mesh",
           origin(loc));
  ManualAttrs attrs{axes_of_region(tracer, options, loc), shardings.in, shardings.out};
  std::vector<Type> types = part_types(tracer, inputs, attrs.in, attrs.axes, loc);
  auto checked_body = [&](std::span<const Value> parts) {
    std::vector<Value> results = body(parts);
    MW_CHECK(results.size() == attrs.out.size(), "manual: the body returns ", results.size(),
             " results, but there are ", attrs.out.size(), " specs", origin(loc));
    for (std::size_t i = 0; i < results.size(); ++i) {
      results[i] =
          checked_result(tracer, tracer.import(results[i]), i, attrs.out[i], attrs.axes, loc);
    }
    return results;
  };
  Region* region = [&] {
    ManualScope scope(attrs.axes);
    return &tracer.trace_region(types, checked_body);
  }();
  std::vector<Value> operands = inputs;
  operands.insert(operands.end(), region->captures.begin(), region->captures.end());
  attrs.in.resize(operands.size());
  return emit_all(kManual, std::move(operands), std::move(attrs), {region}, loc);
}

std::vector<Value> manual(const std::vector<ManualInput>& inputs,
                          const std::vector<mesh::ShardSpec>& outputs,
                          const ManualBody& body,
                          const ManualOptions& options,
                          SourceLoc loc) {
  std::vector<Value> values;
  ManualShardings shardings;
  for (const ManualInput& input : inputs) {
    values.push_back(typed(input.value, input.spec, loc));
    shardings.in.push_back(input.spec.sharding());
  }
  for (const mesh::ShardSpec& spec : outputs)
    shardings.out.push_back(spec.sharding());
  auto typed_body = [&](std::span<const Value> parts) {
    std::vector<Value> results = body(parts);
    for (std::size_t i = 0; i < std::min(results.size(), outputs.size()); ++i)
      typed(results[i], outputs[i], loc);
    return results;
  };
  return manual(values, shardings, typed_body, options, loc);
}

Value typed(Value x, mesh::ShardSpec spec, SourceLoc loc) {
  Tracer& tracer = Tracer::current();
  std::vector<mesh::DimSpec> dims = spec.dims();
  MW_CHECK(std::ssize(dims) == x.rank(), what(x, spec), ": the type has ", dims.size(),
           " dimensions", origin(loc));
  for (std::size_t i = 0; i < dims.size(); ++i) {
    std::int64_t size = x.dims()[i];
    for (std::string_view axis : dims[i].mesh_axes) {
      std::int64_t parts = tracer.mesh().axis_size(axis);
      if (tracer.manual_axes().contains(tracer.mesh().axis_index(axis))) size *= parts;
    }
    if (std::optional<std::int64_t> fixed = dims[i].size()) {
      MW_CHECK(size == *fixed, what(x, spec), ": dimension ", i, " is ", size, origin(loc));
      continue;
    }
    try {
      tracer.whole_axes().bind(dims[i].name, size, what(x, spec), loc);
    } catch (const Error& error) {
      fail(error.code(), "manual: ", error.message(), origin(loc));
    }
  }
  return x;
}

}  // namespace meshwright::graph
