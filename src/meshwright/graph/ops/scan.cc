// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/scan.h"

#include <algorithm>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/scan_rules.h"
#include "meshwright/graph/tracing/declared_sharding.h"
#include "meshwright/graph/tracing/rewrite.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

using Values = std::vector<Value>;

Type slice_type(const Type& stacked) {
  return Type(stacked.dtype, Dims(stacked.dims.begin() + 1, stacked.dims.end()), stacked.varying);
}

Type stacked_type(const Type& slice, std::int64_t length) {
  Dims dims = slice.dims;
  dims.insert(dims.begin(), length);
  return Type(slice.dtype, std::move(dims), slice.varying);
}

void check_operands(const Node& node) {
  const ScanAttrs& attrs = node.attr<ScanAttrs>();
  const Region& body = *node.regions[0];
  for (int i = 0; i < node.num_operands(); ++i) {
    bool sliced = i >= attrs.num_carry && i < attrs.num_carry + attrs.num_xs;
    const Type& wanted = body.arg(i).type();
    const Type& given = node.in(i);
    if (given != (sliced ? stacked_type(wanted, attrs.length) : wanted)) {
      reject(node, "operand ", i, " is ", given.array(), " but the body expects ",
             sliced ? "slices of type " : "", wanted.array());
    }
  }
}

std::vector<Type> infer_scan(const Node& node) {
  const ScanAttrs& attrs = node.attr<ScanAttrs>();
  const Region& body = *node.regions[0];
  if (body.num_args() != node.num_operands()) {
    reject(node, node.num_operands(), " operands for a body with ", body.num_args(), " arguments");
  }
  if (attrs.unroll < 1 || (attrs.length > 0 && attrs.length % attrs.unroll != 0)) {
    reject(node, "unroll is ", attrs.unroll, ", which does not divide the ", attrs.length,
           " steps");
  }
  check_operands(node);
  std::vector<Type> types = types_of(body.results);
  for (std::size_t i = static_cast<std::size_t>(attrs.num_carry); i < types.size(); ++i)
    types[i] = stacked_type(types[i], attrs.length);
  return types;
}

std::vector<mesh::AxisSet> scan_varying(const Node& node) {
  std::vector<mesh::AxisSet> varying;
  for (const Value& result : node.regions[0]->results)
    varying.push_back(result.type().varying);
  return varying;
}

std::int64_t find_length(std::span<const Value> xs, const ScanOptions& options, SourceLoc loc) {
  MW_CHECK(!xs.empty() || options.length, "scan: needs a length if there are no xs", origin(loc));
  for (const Value& x : xs) {
    MW_CHECK(x.rank() > 0, "scan: xs has the scalar ", x, ", which has no slices", origin(loc));
    std::int64_t length = options.length.value_or(xs[0].dim(0));
    MW_CHECK(x.dim(0) == length, "scan: ", length, " steps, but xs has ", x, origin(loc));
  }
  return options.length ? *options.length : xs[0].dim(0);
}

// Checks that a step returned a carry of the same array types. Returns the types that the carry
// needs, which may vary over more mesh axes.
std::vector<Type> next_carry_types(const std::vector<Type>& carry,
                                   const Values& next,
                                   SourceLoc loc) {
  MW_CHECK(next.size() == carry.size(), "scan: the body returns a carry of ", next.size(),
           " values for a carry of ", carry.size(), origin(loc));
  std::vector<Type> out = carry;
  for (std::size_t i = 0; i < carry.size(); ++i) {
    MW_CHECK(next[i].type().array() == carry[i].array(), "scan: carry ", i, " is ",
             carry[i].array(), " but the body returns ", next[i], origin(loc));
    out[i].varying = carry[i].varying | next[i].type().varying;
  }
  return out;
}

// Traces the body, again if necessary, until the carry that it returns varies over no more mesh
// axes than the one that it takes. Updates `carry_types`.
Region& trace_steps(std::vector<Type>& carry_types,
                    std::span<const Value> xs,
                    const ScanBody& body,
                    SourceLoc loc) {
  Values sources(carry_types.size());  // null: the sharding of the carry may differ from init's
  sources.insert(sources.end(), xs.begin(), xs.end());
  while (true) {
    std::vector<Type> types = carry_types;
    for (const Value& x : xs)
      types.push_back(slice_type(x.type()));
    std::vector<Type> needed;
    Tracer::Body one_step = [&](std::span<const Value> args) {
      ScanStep step = body(args.first(carry_types.size()), args.subspan(carry_types.size()));
      needed = next_carry_types(carry_types, step.carry, loc);
      for (std::size_t i = 0; i < step.carry.size(); ++i)
        step.carry[i] = vary(step.carry[i], carry_types[i].varying, loc);
      step.carry.insert(step.carry.end(), step.ys.begin(), step.ys.end());
      return step.carry;
    };
    Region& region = Tracer::current().trace_region(types, with_sources(sources, one_step));
    if (needed == carry_types) return region;
    carry_types = std::move(needed);
  }
}

}  // namespace

const OpDef kScan{.name = "scan",
                  .infer = infer_scan,
                  .write = write_scan,
                  .vjp = scan_vjp,
                  .augment = augment_scan,
                  .varying = scan_varying};

ScanResult scan(std::span<const Value> init,
                std::span<const Value> xs,
                const ScanBody& body,
                ScanOptions options,
                SourceLoc loc) {
  ScanAttrs attrs{.num_carry = static_cast<int>(init.size()),
                  .num_xs = static_cast<int>(xs.size()),
                  .length = find_length(xs, options, loc),
                  .reverse = options.reverse,
                  .unroll = options.unroll};
  std::vector<Type> carry_types = types_of(init);
  Region& region = trace_steps(carry_types, xs, body, loc);

  Values operands;
  for (std::size_t i = 0; i < init.size(); ++i)
    operands.push_back(vary(init[i], carry_types[i].varying, loc));
  operands.insert(operands.end(), xs.begin(), xs.end());
  operands.insert(operands.end(), region.captures.begin(), region.captures.end());
  Values results = emit_all(kScan, std::move(operands), attrs, {&region}, loc);
  auto middle = results.begin() + std::ssize(init);
  return {.carry = {results.begin(), middle}, .ys = {middle, results.end()}};
}

}  // namespace meshwright::graph
