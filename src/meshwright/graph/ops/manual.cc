// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/manual.h"

#include "meshwright/base/check.h"
#include "meshwright/base/remedy.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/check_sharding.h"
#include "meshwright/graph/ops/manual_rules.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/mesh/device_groups.h"
#include "meshwright/mesh/shards.h"
#include "meshwright/mesh/unknown_axis.h"

namespace meshwright::graph {
namespace {

std::int64_t num_shards_along(const mesh::Mesh& mesh,
                              const mesh::Sharding& sharding,
                              std::size_t dim) {
  std::int64_t parts = 1;
  if (dim >= sharding.dims.size()) return parts;
  for (const std::string& axis : sharding.dims[dim])
    parts *= mesh.axis_size(axis);
  return parts;
}

Dims whole_dims(const mesh::Mesh& mesh, const mesh::Sharding& sharding, Dims dims) {
  for (std::size_t i = 0; i < dims.size(); ++i)
    dims[i] *= num_shards_along(mesh, sharding, i);
  return dims;
}

std::vector<Type> infer_manual(const Node& node) {
  const auto& attrs = node.attr<ManualAttrs>();
  const Region& body = *node.regions[0];
  const mesh::Mesh& mesh = Tracer::current().mesh();
  if (std::ssize(attrs.in) != node.num_operands() || body.num_args() != node.num_operands()) {
    reject(node, node.num_operands(), " operands for a body with ", body.num_args(), " arguments");
  }
  for (int i = 0; i < node.num_operands(); ++i) {
    Dims part = mesh::shard_dims(mesh, attrs.in[static_cast<std::size_t>(i)], node.in(i).dims);
    if (part != body.arg(i).dims()) {
      reject(node, "a shard of operand ", i, " is ", part, " but the body expects ", body.arg(i));
    }
  }
  std::vector<Type> types;
  for (std::size_t i = 0; i < body.results.size(); ++i) {
    const Type& part = body.results[i].type();
    types.emplace_back(part.dtype, whole_dims(mesh, attrs.out[i], part.dims));
  }
  return types;
}

// Outside the region, a result varies only over the manual axes of enclosing regions.
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
    if (!axis) mesh::fail_unknown_axis(mesh, name, "manual", origin(loc));
    axes = axes | mesh::AxisSet::of(*axis);
  }
  if (options.axes.empty()) axes = mesh::all_axes(mesh) - mesh::process_axes(mesh);
  mesh::AxisSet twice = axes & tracer.manual_axes();
  MW_CHECK(twice.empty(), "manual: mesh axes ", to_string(mesh, twice),
           " are already manual in the enclosing region", origin(loc));
  return axes;
}

// Returns the mesh axes that split the array. Throws if one is not manual in the region.
mesh::AxisSet check_spec(const mesh::Mesh& mesh,
                         const mesh::Sharding& sharding,
                         mesh::AxisSet axes,
                         SourceLoc loc) {
  mesh::AxisSet used = check_sharding_at(mesh, sharding, loc);
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
      fail(error.code(), "manual: input ", i, ": ", before_remedy(error.message(), origin(loc)));
    }
  }
  return types;
}

// Marks a result as varying over the axes that split it, so that its gradient is summed over them.
// Throws if it varies over other axes of the region.
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
  attrs.in.insert(attrs.in.end(), region->entries.begin(), region->entries.end());
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
    check_type("manual", input.value, input.spec, loc);
    values.push_back(input.value);
    shardings.in.push_back(input.spec.sharding());
  }
  for (const mesh::ShardSpec& spec : outputs)
    shardings.out.push_back(spec.sharding());
  auto typed_body = [&](std::span<const Value> parts) {
    std::vector<Value> results = body(parts);
    for (std::size_t i = 0; i < std::min(results.size(), outputs.size()); ++i)
      check_type("manual", results[i], outputs[i], loc);
    return results;
  };
  return manual(values, shardings, typed_body, options, loc);
}

}  // namespace meshwright::graph
