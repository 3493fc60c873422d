// SPDX-License-Identifier: Apache-2.0
// What the gradient rule of an op can ask for and give. Implemented in autodiff/.
#pragma once

#include <any>
#include <concepts>
#include <functional>
#include <span>
#include <vector>

#include "meshwright/graph/core/node.h"

namespace meshwright::graph {

/// Which intermediate values of a body the backward pass finds kept. What is not kept is recomputed
/// from the arguments of the body and from what is kept.
struct SavePolicy {
  /// True if this result may be kept. Empty: everything may.
  std::function<bool(const Node& node, int result)> may_keep;
  /// Puts an optimization barrier before recomputation, or XLA would merge it with the forward
  /// pass.
  bool barrier = false;
};

/// A body split for reverse mode.
struct RegionVjp {
  /// Arguments of the body; its results followed by the values kept.
  Region* forward = nullptr;
  /// Arguments: the values kept, then a cotangent for each result listed in `with_cotangent`.
  /// Results: a cotangent for each argument listed in `wrt`, zeros where none arrives.
  Region* backward = nullptr;
  /// For each value kept: the argument of the body that it is, or -1 for a value computed in it.
  std::vector<int> kept_argument;
};

struct RegionVjpOptions {
  std::vector<bool> wrt;             // per argument of the body
  std::vector<bool> with_cotangent;  // per result of the body
  SavePolicy policy;
  /// Per argument, whether keeping it takes memory, as the carry of a loop does. Empty: none does.
  std::vector<bool> costly;
  /// The two parts run in loops of their own: remat inside the body needs no barrier.
  bool apart = false;
};

struct GradientFlow {
  std::vector<bool> results;  // those that depend differentiably on an argument listed in `wrt`
  std::vector<bool> args;     // those listed in `wrt` that a result `with_cotangent` depends on so
};

class VjpContext {
 public:
  virtual ~VjpContext() = default;

  /// The node being differentiated: its op, attributes, regions and types.
  virtual const Node& node() const = 0;
  /// Operands and results as they are at hand where the rule adds nodes.
  virtual Value operand(int i) const = 0;
  virtual Value result(int i = 0) const = 0;
  /// What augment kept, in its order.
  virtual std::span<const Value> kept() const = 0;
  /// Empty at first; whatever augment puts here, vjp finds: the split body, how results are laid
  /// out.
  virtual std::any& state() = 0;

  /// Whether anybody wants the gradient of operand i; false for integers.
  virtual bool needs(int i) const = 0;
  /// Whether a gradient arrived for result i; in augment, whether one may.
  virtual bool has_cotangent(int i) const = 0;
  /// The gradient of result i; zeros if none arrived.
  virtual Value cotangent(int i = 0) const = 0;
  /// Adds to the gradient of operand i, which must have the operand's type; ignored unless
  /// needs(i).
  virtual void add(int i, Value gradient) = 0;

  /// Adds make() to the gradient of operand i, and calls it only if that is needed.
  template <std::invocable Make>
  void add(int i, const Make& make) {
    if (needs(i)) add(i, Value(make()));
  }

  /// How gradients would flow through a body; for ops that feed results back into arguments.
  virtual GradientFlow flow(const Region& body,
                            const std::vector<bool>& wrt,
                            const std::vector<bool>& with_cotangent) const = 0;
  /// Splits a body into its forward and backward parts. Needs no kept values: usable in augment,
  /// where cotangents are not known yet.
  virtual RegionVjp differentiate(const Region& body, const RegionVjpOptions& options) = 0;
  template <typename Attrs>
  const Attrs& attr() const {
    return node().attr<Attrs>();
  }
};

}  // namespace meshwright::graph
