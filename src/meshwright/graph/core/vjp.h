// SPDX-License-Identifier: Apache-2.0
// The interface that autodiff/ implements for the gradient rules of ops.
#pragma once

#include <any>
#include <concepts>
#include <functional>
#include <span>
#include <vector>

#include "meshwright/graph/core/node.h"

namespace meshwright::graph {

/// Decides which intermediate values of a body are kept for the backward pass. All others are
/// recomputed from the body's arguments and the kept values.
struct SavePolicy {
  /// True if this result may be kept. If empty, every result may be kept.
  std::function<bool(const Node& node, int result)> may_keep;
  /// True if this result, if it is kept, waits in pinned memory of the host. If empty, none does.
  std::function<bool(const Node& node, int result)> goes_to_host = {};
  /// If true, puts an optimization barrier before recomputation, so that XLA does not merge it with
  /// the forward pass.
  bool barrier = false;
};

/// A body split for reverse mode.
struct RegionVjp {
  /// Arguments: those of the body. Results: those of the body, then the kept values.
  Region* forward = nullptr;
  /// Arguments: the kept values, then one cotangent per result in `with_cotangent`. Results: one
  /// cotangent per argument in `wrt`, zeros where no gradient arrives.
  Region* backward = nullptr;
  /// Per kept value: the index of the argument if it is an argument of the body, otherwise -1.
  std::vector<int> kept_argument;
};

struct RegionVjpOptions {
  std::vector<bool> wrt;             // per argument of the body
  std::vector<bool> with_cotangent;  // per result of the body
  SavePolicy policy;
  /// Per argument: true if keeping it takes memory, as it does for the carry of a loop. If empty,
  /// all are false.
  std::vector<bool> costly;
  /// True if forward and backward run in separate loops, so that remat inside the body needs no
  /// barrier.
  bool apart = false;
};

struct GradientFlow {
  std::vector<bool> results;  // true if the result depends differentiably on an argument in `wrt`
  std::vector<bool> args;     // true if in `wrt` and a result in `with_cotangent` depends on it
};

class VjpContext {
 public:
  virtual ~VjpContext() = default;

  /// The node being differentiated: its op, attributes, regions and types.
  virtual const Node& node() const = 0;
  /// Return operands and results as seen from where the rule emits nodes.
  virtual Value operand(int i) const = 0;
  virtual Value result(int i = 0) const = 0;
  /// Returns the additional values that augment returned after the results, in order.
  virtual std::span<const Value> kept() const = 0;
  /// Arbitrary state to pass from augment to vjp, such as the split body. Initially empty.
  virtual std::any& state() = 0;

  /// True if the gradient of operand i is needed; false for integers.
  virtual bool needs(int i) const = 0;
  /// True if a gradient arrived for result i; in augment, if one may arrive.
  virtual bool has_cotangent(int i) const = 0;
  /// Returns the gradient of result i; zeros if none arrived.
  virtual Value cotangent(int i = 0) const = 0;
  /// Adds `gradient`, which must have the type of operand i, to the gradient of that operand. Does
  /// nothing unless needs(i).
  virtual void add(int i, Value gradient) = 0;

  /// Adds make() to the gradient of operand i. Calls `make` only if needs(i).
  template <std::invocable Make>
  void add(int i, const Make& make) {
    if (needs(i)) add(i, Value(make()));
  }

  /// Returns how gradients flow through a body, for ops that feed results back into arguments.
  virtual GradientFlow flow(const Region& body,
                            const std::vector<bool>& wrt,
                            const std::vector<bool>& with_cotangent) const = 0;
  /// Splits a body into forward and backward regions. May be called in augment, where cotangents
  /// are not known yet.
  virtual RegionVjp differentiate(const Region& body, const RegionVjpOptions& options) = 0;
  template <typename Attrs>
  const Attrs& attr() const {
    return node().attr<Attrs>();
  }
};

}  // namespace meshwright::graph
