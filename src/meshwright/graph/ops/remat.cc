// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/remat.h"

#include <algorithm>

#include "meshwright/graph/ops/gradient.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/declared_sharding.h"
#include "meshwright/graph/tracing/rewrite.h"

namespace meshwright::graph {
namespace {

std::vector<Type> infer_remat(const Node& node) {
  return types_of(node.regions[0]->results);
}

std::vector<mesh::AxisSet> remat_varying(const Node& node) {
  std::vector<mesh::AxisSet> varying;
  for (const Value& result : node.regions[0]->results)
    varying.push_back(result.type().varying);
  return varying;
}

void write_remat(Writer& writer, const Node& node) {
  writer.inline_body(node, *node.regions[0]);
}

struct Split {
  RegionVjp parts;
  RegionVjpOptions options;
};

std::vector<Value> augment_remat(VjpContext& c) {
  const Node& node = c.node();
  Split split{.options = {.policy = c.attr<SavePolicy>()}};
  std::vector<Value> operands;
  for (int i = 0; i < node.num_operands(); ++i) {
    split.options.wrt.push_back(c.needs(i));
    operands.push_back(c.operand(i));
  }
  for (int r = 0; r < node.num_results(); ++r)
    split.options.with_cotangent.push_back(c.has_cotangent(r));
  split.parts = c.differentiate(*node.regions[0], split.options);
  c.state() = split;
  return inline_region(*split.parts.forward, operands);
}

void remat_vjp(VjpContext& c) {
  const auto& split = std::any_cast<const Split&>(c.state());
  std::vector<Value> inputs(c.kept().begin(), c.kept().end());
  for (int r = 0; r < c.node().num_results(); ++r) {
    if (split.options.with_cotangent[static_cast<std::size_t>(r)]) inputs.push_back(c.cotangent(r));
  }
  std::vector<Value> gradients = inline_region(*split.parts.backward, inputs);
  std::size_t next = 0;
  for (int i = 0; i < c.node().num_operands(); ++i) {
    if (split.options.wrt[static_cast<std::size_t>(i)]) c.add(i, gradients[next++]);
  }
}

Product product_of(const Node& node) {
  return node.op->product == nullptr ? Product::none : node.op->product(node);
}

using OfResult = std::function<bool(const Node&, int)>;

OfResult either(OfResult a, OfResult b) {
  return [a = std::move(a), b = std::move(b)](const Node& node, int result) {
    return a(node, result) || b(node, result);
  };
}

SavePolicy policy(OfResult may_keep) {
  return {.may_keep = std::move(may_keep), .goes_to_host = {}, .barrier = true};
}

}  // namespace

const OpDef kRemat{.name = "remat",
                   .infer = infer_remat,
                   .write = write_remat,
                   .vjp = remat_vjp,
                   .augment = augment_remat,
                   .varying = remat_varying};

SavePolicy keep_nothing() {
  return policy([](const Node&, int) { return false; });
}

SavePolicy keep_everything() {
  return policy([](const Node&, int) { return true; });
}

SavePolicy keep_dots() {
  return policy([](const Node& node, int) { return product_of(node) != Product::none; });
}

SavePolicy keep_dots_without_batch() {
  return policy([](const Node& node, int) { return product_of(node) == Product::unbatched; });
}

SavePolicy keep_saved() {
  return policy([](const Node& node, int) { return node.op == &kSave; });
}

SavePolicy keep_saved(std::vector<std::string> names) {
  return policy([names = std::move(names)](const Node& node, int) {
    return node.op == &kSave && std::ranges::find(names, node.attr<std::string>()) != names.end();
  });
}

SavePolicy keep_results_of(bool (*is_kept)(const Node& node)) {
  return policy([is_kept](const Node& node, int) { return is_kept(node); });
}

SavePolicy on_host(SavePolicy policy) {
  policy.goes_to_host = policy.may_keep;
  return policy;
}

SavePolicy operator|(SavePolicy a, SavePolicy b) {
  SavePolicy out{.may_keep = {}, .goes_to_host = {}, .barrier = a.barrier || b.barrier};
  if (a.may_keep && b.may_keep) out.may_keep = either(std::move(a.may_keep), std::move(b.may_keep));
  if (!a.goes_to_host || !b.goes_to_host)
    out.goes_to_host = a.goes_to_host ? std::move(a.goes_to_host) : std::move(b.goes_to_host);
  else
    out.goes_to_host = either(std::move(a.goes_to_host), std::move(b.goes_to_host));
  return out;
}

std::vector<Value> remat(std::span<const Value> args,
                         const Tracer::Body& body,
                         SavePolicy policy,
                         SourceLoc loc) {
  Region& region = Tracer::current().trace_region(types_of(args), with_sources(args, body));
  std::vector<Value> operands(args.begin(), args.end());
  operands.insert(operands.end(), region.captures.begin(), region.captures.end());
  return emit_all(kRemat, std::move(operands), std::move(policy), {&region}, loc);
}

}  // namespace meshwright::graph
