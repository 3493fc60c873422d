// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/constrain.h"

#include "meshwright/base/check.h"
#include "meshwright/base/remedy.h"
#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/check_sharding.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/mesh/device_groups.h"
#include "meshwright/mesh/shards.h"

namespace meshwright::graph {
namespace {

std::vector<Type> infer_constrain(const Node& node) {
  try {
    mesh::ShardLayout(Tracer::current().mesh(), node.attr<mesh::Sharding>(), node.in(0).dims);
  } catch (const Error& error) {
    reject(node, error.message());
  }
  return {node.in(0)};
}

void write_constrain(Writer& writer, const Node& node) {
  writer.op(node, "sdy.sharding_constraint",
            str("sharding = ", sdy_sharding(node.attr<mesh::Sharding>(), node.in(0).rank())));
}

void constrain_vjp(VjpContext& c) {
  c.add(0, [&] { return constrain(c.cotangent(), c.attr<mesh::Sharding>()); });
}

void check_sizes(Tracer& tracer, const Value& x, const AxisSpec& axes, SourceLoc loc) {
  std::vector<std::string_view> names = axes.names();
  MW_CHECK(std::ssize(names) == x.rank(), "constrain: '", axes, "' names ", names.size(),
           " axes, but ", x, " has ", x.rank(), origin(loc));
  if (tracer.in_manual_region()) return;
  for (std::size_t i = 0; i < names.size(); ++i) {
    try {
      tracer.axes().bind(names[i], x.dims()[i], to_string(x), loc);
    } catch (const Error& error) {
      fail(error.code(), "constrain: ", before_remedy(error.message(), origin(loc)));
    }
  }
}

}  // namespace

const OpDef kConstrain{
    .name = "constrain", .infer = infer_constrain, .write = write_constrain, .vjp = constrain_vjp};

Value constrain(Value x, AxisSpec axes, SourceLoc loc) {
  Tracer& tracer = Tracer::current();
  check_sizes(tracer, x, axes, loc);
  for (std::string_view name : axes.names())
    tracer.record_constrained(name);
  if (tracer.activation_rules().rules().empty()) return x;
  return constrain(x, without_manual_axes(tracer.activation_rules().sharding(axes)), loc);
}

Value constrain(Value x, mesh::Sharding sharding, SourceLoc loc) {
  const Tracer& tracer = Tracer::current();
  if (tracer.mesh().axes().empty()) return x;
  mesh::AxisSet manual = check_sharding_at(tracer.mesh(), sharding, loc) & tracer.manual_axes();
  MW_CHECK(manual.empty(), "constrain: ", sharding,
           " uses mesh axes that are manual here: ", to_string(tracer.mesh(), manual),
           "; the manual region defines the shards of x", origin(loc));
  bool all_manual = tracer.manual_axes() == mesh::all_axes(tracer.mesh());
  if (all_manual) return x;
  return emit(kConstrain, {x}, std::move(sharding), loc);
}

mesh::Sharding without_manual_axes(mesh::Sharding sharding) {
  const Tracer& tracer = Tracer::current();
  for (std::vector<std::string>& axes : sharding.dims) {
    std::erase_if(axes, [&](const std::string& name) {
      std::optional<int> axis = tracer.mesh().find_axis(name);
      return axis && tracer.manual_axes().contains(*axis);
    });
  }
  return sharding;
}

}  // namespace meshwright::graph
