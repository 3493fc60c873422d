// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/custom_gradient.h"

#include <algorithm>

#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/rewrite.h"

namespace meshwright::graph {
namespace {

std::vector<Type> infer_custom(const Node& node) {
  std::vector<Type> types = types_of(node.regions[0]->results);
  types.resize(static_cast<std::size_t>(node.attr<CustomGradientAttrs>().num_results));
  return types;
}

std::vector<mesh::AxisSet> custom_varying(const Node& node) {
  std::vector<mesh::AxisSet> varying;
  for (const Type& type : infer_custom(node))
    varying.push_back(type.varying);
  return varying;
}

void write_custom(Writer& writer, const Node& node) {
  writer.inline_body(node, *node.regions[0]);
}

std::vector<Value> augment_custom(VjpContext& c) {
  const Region& forward = *c.node().regions[0];
  std::vector<Value> inputs;
  for (int i = 0; i < forward.num_args(); ++i)
    inputs.push_back(c.operand(i));
  return inline_region(forward, inputs);
}

void custom_vjp(VjpContext& c) {
  const auto& [num_args, num_results] = c.attr<CustomGradientAttrs>();
  const Node& node = c.node();
  for (int i = num_args; i < node.num_operands(); ++i) {
    if (!c.needs(i)) continue;
    reject(node, "the outer value ", node.in(i).array(),
           " gets no gradient; pass it as an argument, or apply stop_gradient to it");
  }
  std::vector<Value> inputs(c.kept().begin(), c.kept().end());
  for (int r = 0; r < num_results; ++r)
    inputs.push_back(c.cotangent(r));
  for (int i = node.regions[0]->num_args(); i < node.num_operands(); ++i)
    inputs.push_back(c.operand(i));
  std::vector<Value> gradients = inline_region(*node.regions[1], inputs);
  for (int i = 0; i < num_args; ++i)
    c.add(i, gradients[static_cast<std::size_t>(i)]);
}

// Checks the gradients that the backward function returned against the arguments. Returns them with
// zeros in place of null values, varying over the same mesh axes as the arguments.
std::vector<Value> checked(std::vector<Value> gradients,
                           std::span<const Value> args,
                           SourceLoc loc) {
  MW_CHECK(gradients.size() == args.size(), "custom_gradient: the backward function returns ",
           gradients.size(), " gradients for ", args.size(), " arguments", origin(loc));
  for (std::size_t i = 0; i < args.size(); ++i) {
    const Type& type = args[i].type();
    Value& gradient = gradients[i];
    if (gradient.is_null()) gradient = zeros(type, loc);
    MW_CHECK(gradient.type().array() == type.array(), "custom_gradient: the gradient of ",
             "argument ", i, " is ", gradient, " but the argument is ", args[i], origin(loc));
    MW_CHECK(type.varying.contains(gradient.type().varying), "custom_gradient: the gradient of ",
             "argument ", i,
             " varies over mesh axes over which the argument does not; sum it over ", "them",
             origin(loc));
    gradient = vary(gradient, type.varying, loc);
  }
  return gradients;
}

}  // namespace

const OpDef kCustomGradient{.name = "custom_gradient",
                            .infer = infer_custom,
                            .write = write_custom,
                            .vjp = custom_vjp,
                            .augment = augment_custom,
                            .varying = custom_varying};

std::vector<Value> custom_gradient(std::span<const Value> args,
                                   const CustomForward& forward,
                                   const CustomBackward& backward,
                                   SourceLoc loc) {
  Tracer& tracer = Tracer::current();
  CustomGradientAttrs attrs{.num_args = static_cast<int>(args.size())};
  Region& ahead = tracer.trace_region(types_of(args), [&](std::span<const Value> in) {
    ForwardResult out = forward(in);
    attrs.num_results = static_cast<int>(out.results.size());
    out.results.insert(out.results.end(), out.kept.begin(), out.kept.end());
    return out.results;
  });
  std::vector<Type> types = types_of(ahead.results);
  auto num_kept = types.size() - static_cast<std::size_t>(attrs.num_results);
  // The backward function takes the kept values, then the cotangents.
  std::rotate(types.begin(), types.begin() + attrs.num_results, types.end());
  Region& back = tracer.trace_region(types, [&](std::span<const Value> in) {
    return checked(backward(in.first(num_kept), in.subspan(num_kept)), args, loc);
  });
  std::vector<Value> operands(args.begin(), args.end());
  operands.insert(operands.end(), ahead.captures.begin(), ahead.captures.end());
  operands.insert(operands.end(), back.captures.begin(), back.captures.end());
  return emit_all(kCustomGradient, std::move(operands), attrs, {&ahead, &back}, loc);
}

}  // namespace meshwright::graph
