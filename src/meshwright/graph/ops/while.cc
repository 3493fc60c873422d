// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/while.h"

#include "meshwright/base/check.h"
#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/rewrite.h"
#include "meshwright/graph/tracing/waiting.h"

namespace meshwright::graph {
namespace {

using Values = std::vector<Value>;

const ArrayType kBoolean{pred, {}};

std::vector<Type> infer_while(const Node& node) {
  const Region& body = *node.regions[1];
  std::vector<Type> types = types_of(node.operands);
  for (const Region* region : node.regions) {
    std::vector<Type> wanted;
    for (const Node* arg : region->args)
      wanted.push_back(arg->out());
    if (types != wanted)
      reject(node, "the operands do not match the arguments of the condition and the body");
  }
  mesh::AxisSet differing = node.regions[0]->results[0].type().varying;
  reject_if_waiting(node, *node.regions[0], "its condition", differing);
  reject_if_waiting(node, body, "its body", differing);
  types.resize(static_cast<std::size_t>(node.attr<int>()));
  if (types_of(body.results) != types) reject(node, "the body changes the types of the carry");
  return types;
}

std::vector<mesh::AxisSet> while_varying(const Node& node) {
  std::vector<mesh::AxisSet> varying;
  for (const Value& result : node.regions[1]->results)
    varying.push_back(result.type().varying);
  return varying;
}

// The state of the loop also carries the outer values, unchanged.
void write_while(Writer& writer, const Node& node) {
  const Region& condition = *node.regions[0];
  const Region& body = *node.regions[1];
  std::vector<TextValue> state = writer.text_values(node.operands);
  std::vector<ArrayType> types;
  for (const TextValue& value : state)
    types.push_back(value.type);
  auto step = [&](std::span<const TextValue> args) {
    for (std::size_t i = 0; i < args.size(); ++i)
      writer.set_name(*body.args[i], args[i].name);
    writer.write_nodes(body);
    std::vector<TextValue> next = writer.text_values(body.results);
    next.insert(next.end(), args.begin() + std::ssize(next), args.end());
    writer.finish("stablehlo.return", next);
  };
  std::array regions = {writer.body(condition, "stablehlo.return"), writer.block(types, step)};
  std::vector<TextValue> results =
      writer.write_op("stablehlo.while", state, "", regions, types, writer.location(node));
  for (int i = 0; i < node.num_results(); ++i)
    writer.set_result_name(node, i, results[static_cast<std::size_t>(i)].name);
}

void while_vjp(VjpContext& c) {
  reject(c.node(),
         "has no gradient, because the number of steps is not known in advance; use scan, "
         "or apply stop_gradient to its results");
}

Region& trace_condition(const std::vector<Type>& carry,
                        const WhileCondition& condition,
                        SourceLoc loc) {
  return Tracer::current().trace_region(carry, [&](std::span<const Value> args) {
    Value result = condition(args);
    MW_CHECK(result.type().array() == kBoolean, "while_loop: the condition returns ", result,
             ", not ", kBoolean, origin(loc));
    return Values{result};
  });
}

void check_step(const std::vector<Type>& carry, const Values& next, SourceLoc loc) {
  MW_CHECK(next.size() == carry.size(), "while_loop: the body returns a carry of ", next.size(),
           " values for a carry of ", carry.size(), origin(loc));
  for (std::size_t i = 0; i < carry.size(); ++i) {
    MW_CHECK(next[i].type().array() == carry[i].array(), "while_loop: carry ", i, " is ",
             carry[i].array(), " but the body returns ", next[i], origin(loc));
  }
}

// Traces condition and body, again if necessary, until neither makes the carry vary over more mesh
// axes. Updates `carry`.
std::vector<Region*> trace_loop(std::vector<Type>& carry,
                                const WhileCondition& condition,
                                const Tracer::Body& body,
                                SourceLoc loc) {
  while (true) {
    Region& more = trace_condition(carry, condition, loc);
    mesh::AxisSet differing = more.results[0].type().varying;
    std::vector<Type> needed = carry;
    Region& step = Tracer::current().trace_region(carry, [&](std::span<const Value> args) {
      Values next = body(args);
      check_step(carry, next, loc);
      for (std::size_t i = 0; i < next.size(); ++i) {
        needed[i].varying = carry[i].varying | next[i].type().varying | differing;
        next[i] = vary(next[i], carry[i].varying, loc);
      }
      return next;
    });
    if (needed == carry) return {&more, &step};
    carry = std::move(needed);
  }
}

}  // namespace

const OpDef kWhile{.name = "while_loop",
                   .infer = infer_while,
                   .write = write_while,
                   .vjp = while_vjp,
                   .varying = while_varying};

std::vector<Value> while_loop(const WhileCondition& condition,
                              const Tracer::Body& body,
                              std::span<const Value> carry,
                              SourceLoc loc) {
  std::vector<Type> types = types_of(carry);
  std::vector<Region*> regions = trace_loop(types, condition, body, loc);
  Values operands;
  for (std::size_t i = 0; i < carry.size(); ++i)
    operands.push_back(vary(carry[i], types[i].varying, loc));
  Values captures = united_captures(regions);
  for (Region*& region : regions)
    region = &with_captures(*region, captures);
  operands.insert(operands.end(), captures.begin(), captures.end());
  return emit_all(kWhile, std::move(operands), static_cast<int>(carry.size()), regions, loc);
}

}  // namespace meshwright::graph
