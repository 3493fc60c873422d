// SPDX-License-Identifier: Apache-2.0
#include "meshwright/autodiff/differentiate.h"

#include <cassert>

#include "meshwright/autodiff/partition.h"
#include "meshwright/autodiff/reverse_pass.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::autodiff {

using graph::Region;
using graph::RegionVjp;
using graph::RegionVjpOptions;
using graph::Tracer;
using graph::Type;
using graph::Value;

namespace {

std::vector<Value> zeros_where_empty(std::vector<Value> gradients,
                                     const Region& body,
                                     const std::vector<bool>& wrt) {
  std::vector<Value> out;
  for (int i = 0; i < body.num_args(); ++i) {
    auto at = static_cast<std::size_t>(i);
    if (!wrt[at]) continue;
    out.push_back(gradients[at].is_null() ? graph::zeros(body.arg(i).type()) : gradients[at]);
  }
  return out;
}

}  // namespace

// Traces the backward part as a body inside the forward part: its captures are the forward values
// it needs, and the partition decides which of them are kept.
RegionVjp differentiate(const Region& body, const RegionVjpOptions& options) {
  assert(std::ssize(options.wrt) == body.num_args());
  assert(options.with_cotangent.size() == body.results.size());
  Tracer& tracer = Tracer::current();
  ReversePass pass(body, options.wrt, options.with_cotangent, options.apart);

  std::vector<Type> cotangent_types;
  for (std::size_t i = 0; i < body.results.size(); ++i) {
    if (options.with_cotangent[i]) cotangent_types.push_back(body.results[i].type());
  }
  auto trace_backward = [&](std::span<const Value> given) {
    std::vector<Value> cotangents(body.results.size());
    std::size_t next = 0;
    for (std::size_t i = 0; i < cotangents.size(); ++i) {
      if (options.with_cotangent[i]) cotangents[i] = given[next++];
    }
    return zeros_where_empty(pass.backward(cotangents), body, options.wrt);
  };

  std::vector<Type> arg_types;
  for (int i = 0; i < body.num_args(); ++i)
    arg_types.push_back(body.arg(i).type());
  Region* backward = nullptr;
  Region& forward = tracer.trace_region(arg_types, [&](std::span<const Value> args) {
    std::vector<Value> results = pass.forward(args);
    backward = &tracer.trace_region(cotangent_types, trace_backward);
    return results;
  });
  assert(forward.captures.empty());
  return partition(forward, *backward, options);
}

}  // namespace meshwright::autodiff
