// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/tracing/declared_sharding.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "meshwright/graph/ops/barrier.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/constrain.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/gradient.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"

namespace meshwright::graph {
namespace {

using DimAxes = std::vector<std::string>;  // the mesh axes that split one dimension
using DeclaredSharding = std::optional<mesh::Sharding>;

// Returns one entry per dimension; Sharding::dims may end early.
std::vector<DimAxes> full_dims(const mesh::Sharding& sharding, int rank) {
  std::vector<DimAxes> dims = sharding.dims;
  dims.resize(static_cast<std::size_t>(rank));
  return dims;
}

std::int64_t num_shards_along(const DimAxes& axes) {
  std::int64_t parts = 1;
  for (const std::string& axis : axes)
    parts *= Tracer::current().mesh().axis_size(axis);
  return parts;
}

bool passes_each_on(const Node& node) {
  return node.op == &kVary || node.op == &kSave || node.op == &kStopGradient ||
         node.op == &kOptimizationBarrier;
}

bool is_elementwise(const Node& node) {
  return std::ranges::find(kElementwiseOps, node.op) != kElementwiseOps.end();
}

bool is_slice(const Node& node) {
  return node.op == &kSlice || node.op == &kDynamicSlice;
}

bool moves_elements(const Node& node) {
  return is_slice(node) || node.op == &kReshape || node.op == &kTranspose ||
         node.op == &kBroadcastInDim;
}

// Returns the value that an argument stands for; null if unknown.
Value origin_of_argument(const Value& argument) {
  const Region& region = *argument.node()->region;
  if (std::optional<Value> outer = find_capture(argument))
    return region.is_manual() ? Value() : *outer;  // in a manual region, the argument is a shard
  auto number = static_cast<std::size_t>(argument.node()->attr<int>());
  return number < region.sources.size() ? region.sources[number] : Value();
}

// Returns the values that determine the sharding of this one.
std::vector<Value> origins(const Value& value) {
  const Node& node = *value.node();
  if (node.op == &kArgument) {
    Value origin = origin_of_argument(value);
    return origin.is_null() ? std::vector<Value>() : std::vector{origin};
  }
  if (passes_each_on(node)) return {node.operands[static_cast<std::size_t>(value.index())]};
  if (is_elementwise(node)) return node.operands;
  if (moves_elements(node)) return {node.operands[0]};
  return {};
}

// Returns the sharding of a slice of a stack: the stack's, if the stacked dimension is not split.
DeclaredSharding of_stack(const mesh::Sharding& stack, const Value& slice, const Value& whole) {
  if (slice.rank() == whole.rank() || stack.dims.empty()) return stack;
  if (!stack.dims[0].empty()) return std::nullopt;
  return mesh::Sharding{{stack.dims.begin() + 1, stack.dims.end()}};
}

// A sliced dimension loses its split, since its elements are not on the devices of its shards.
std::vector<DimAxes> of_slice(const Dims& from, std::vector<DimAxes> axes, const Dims& to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (from[i] != to[i]) axes[i].clear();
  }
  return axes;
}

std::vector<DimAxes> of_transpose(const Dims& permutation, const std::vector<DimAxes>& axes) {
  std::vector<DimAxes> out;
  for (std::int64_t from : permutation)
    out.push_back(axes[static_cast<std::size_t>(from)]);
  return out;
}

std::vector<DimAxes> of_broadcast(const Dims& from,
                                  const std::vector<DimAxes>& axes,
                                  const BroadcastAttrs& attrs) {
  std::vector<DimAxes> out(attrs.dims.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    auto to = static_cast<std::size_t>(attrs.where[i]);
    if (from[i] == attrs.dims[to]) out[to] = axes[i];
  }
  return out;
}

// Groups dimensions into the smallest groups of equal size on both sides. The first dimension of a
// group stays split if its size is divisible by the number of shards on both sides; the others lose
// their split.
std::vector<DimAxes> of_reshape(const Dims& from,
                                const std::vector<DimAxes>& axes,
                                const Dims& to) {
  std::vector<DimAxes> out(to.size());
  if (std::ranges::count(from, 0) > 0) return out;
  std::size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    if (from[i] == 1 || to[j] == 1) {
      ++(from[i] == 1 ? i : j);
      continue;
    }
    std::int64_t parts = num_shards_along(axes[i]);
    if (from[i] % parts == 0 && to[j] % parts == 0) out[j] = axes[i];
    std::int64_t left = from[i++], right = to[j++];
    while (left != right) {
      if (left < right) {
        left *= from[i++];
      } else {
        right *= to[j++];
      }
    }
  }
  return out;
}

// Returns the sharding of arrays combined element by element: a split dimension wins over an
// unsplit one, and two different splits are reduced to their common prefix.
DeclaredSharding combined(const std::vector<Value>& operands,
                          const std::vector<DeclaredSharding>& declared) {
  DeclaredSharding out;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (!declared[k] || operands[k].rank() == 0) continue;
    std::vector<DimAxes> more = full_dims(*declared[k], operands[k].rank());
    if (!out) out = mesh::Sharding{std::vector<DimAxes>(more.size())};
    for (std::size_t i = 0; i < more.size(); ++i) {
      DimAxes& axes = out->dims[i];
      if (axes.empty()) {
        axes = std::move(more[i]);
      } else if (!more[i].empty()) {
        axes.erase(std::ranges::mismatch(axes, more[i]).in1, axes.end());
      }
    }
  }
  return out;
}

// Removes repeated uses of a mesh axis, which combining can cause.
mesh::Sharding each_axis_once(mesh::Sharding sharding) {
  std::vector<std::string> used;
  for (DimAxes& axes : sharding.dims) {
    auto is_used = [&](const std::string& axis) {
      return std::ranges::find(used, axis) != used.end();
    };
    axes.erase(std::ranges::find_if(axes, is_used), axes.end());
    used.insert(used.end(), axes.begin(), axes.end());
  }
  return sharding;
}

mesh::Sharding moved(const Node& node, const mesh::Sharding& sharding) {
  const Dims& from = node.in(0).dims;
  const Dims& to = node.out().dims;
  std::vector<DimAxes> axes = full_dims(sharding, node.in(0).rank());
  if (is_slice(node)) return {of_slice(from, std::move(axes), to)};
  if (node.op == &kReshape) return {of_reshape(from, axes, to)};
  if (node.op == &kTranspose) return {of_transpose(node.attr<Dims>(), axes)};
  return {of_broadcast(from, axes, node.attr<BroadcastAttrs>())};
}

// Returns the sharding of a value, given those of its origins.
DeclaredSharding derived_sharding(const Value& value,
                                  const std::vector<Value>& from,
                                  const std::vector<DeclaredSharding>& known) {
  const Node& node = *value.node();
  if (node.op == &kConstrain) return node.attr<mesh::Sharding>();
  if (from.empty()) return std::nullopt;
  if (is_elementwise(node)) {
    DeclaredSharding out = combined(from, known);
    return out ? DeclaredSharding(each_axis_once(*std::move(out))) : out;
  }
  if (!known[0]) return std::nullopt;
  if (node.op == &kArgument) return of_stack(*known[0], value, from[0]);
  return moves_elements(node) ? moved(node, *known[0]) : known[0];
}

const DeclaredSharding* find_known(const Value& value) {
  const auto& declared = value.node()->region->declared;
  auto found = declared.find(value);
  return found != declared.end() ? &found->second : nullptr;
}

}  // namespace

// Iterative, since chains of ops can be long; visits each value once.
std::optional<mesh::Sharding> find_declared_sharding(const Value& value) {
  std::vector<Value> pending = {value};
  while (!pending.empty()) {
    Value next = pending.back();
    std::vector<Value> from = origins(next);
    std::vector<DeclaredSharding> known;
    for (const Value& origin : from) {
      if (const DeclaredSharding* declared = find_known(origin)) {
        known.push_back(*declared);
      } else {
        pending.push_back(origin);
      }
    }
    if (known.size() < from.size()) continue;
    next.node()->region->declared.try_emplace(next, derived_sharding(next, from, known));
    pending.pop_back();
  }
  return *find_known(value);
}

Tracer::Body with_sources(std::span<const Value> sources, const Tracer::Body& body) {
  return [sources, &body](std::span<const Value> args) {
    Tracer::current().region().sources.assign(sources.begin(), sources.end());
    return body(args);
  };
}

}  // namespace meshwright::graph
