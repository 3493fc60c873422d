// SPDX-License-Identifier: Apache-2.0
// Reverse-mode differentiation of traced functions.
//
// grad(), value_and_grad() and vjp() trace a function into its own graph::Region and emit the
// function into the program being traced, followed by its gradient. They emit only ordinary nodes,
// so a gradient can be differentiated again. Nothing is computed until the program runs.
//
// How a gradient is built:
// - Function wraps a callable. Its parameters are differentiated; Values that it captures are
//   constants.
// - Activity marks the values that depend on a differentiated argument and reach a result with a
//   cotangent. Nodes without such values are skipped.
// - ReversePass::forward() emits the nodes of the region. ReversePass::backward() visits them in
//   reverse and calls the rule of each op (graph::OpDef::vjp), which reads the op's cotangents and
//   adds to those of its operands (graph::VjpContext). Cotangents that reach a value on several
//   paths are summed.
// - An op with a body, such as scan or remat, calls differentiate() to split that body into a
//   forward and a backward region. partition() then decides which values the forward region keeps
//   and which the backward region recomputes, according to graph::SavePolicy.
//
// Rules for users:
// - Differentiate float arguments only. Capture integers and other constants instead.
// - grad() needs a float scalar as the first result; vjp() takes one cotangent per result.
// - stop_gradient() cuts a path, save() marks a value for remat policies, and custom_gradient()
//   replaces the rule of a whole function.
// - tree_grad.h declares the same functions for trees of parameters.
//
// Rules for adding ops:
// - A gradient rule belongs to its op, not here: implement OpDef::vjp from differentiable ops, so
//   that it can be differentiated again. Each gradient must have the type of its operand.
// - Use kZeroGradient for an op whose gradient is zero, and kNoGradient for an op without a
//   gradient: differentiating the latter fails with a message that shows the path from the result
//   to the op.
// - Check a rule against central differences with check_grad().
//
// Example: the gradient of a squared error.
//   auto loss = [&](Value w) { return reduce_sum(square(w * x - y), {0}); };
//   auto [value, aux, gradients] = value_and_grad(loss, {w});
//   Value updated = w - 0.1 * gradients[0];
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "meshwright/autodiff/function.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::autodiff {

struct ValueAndGrad {
  Value value;                   // the first result, which is differentiated
  std::vector<Value> aux;        // the other results
  std::vector<Value> gradients;  // one per argument, of the same type
};

/// Returns the gradients of the first result of `fn`, a float scalar, with respect to all
/// arguments. Throws invalid_argument if an argument is not a float array (capture it instead), or
/// if an op on the path has no gradient.
ValueAndGrad value_and_grad(const Function& fn, std::span<const Value> args);
ValueAndGrad value_and_grad(const Function& fn, std::initializer_list<Value> args);

/// Returns only the gradients. Throws the errors of value_and_grad().
std::vector<Value> grad(const Function& fn, std::span<const Value> args);
std::vector<Value> grad(const Function& fn, std::initializer_list<Value> args);
Value grad(const Function& fn, Value arg);

/// The results of a function and its pullback.
struct Vjp {
  std::vector<Value> results;
  /// Returns the gradients of all arguments, given one cotangent per result, of the result's type;
  /// an empty Value stands for zeros. May be called several times while the same program is being
  /// traced.
  std::function<std::vector<Value>(std::span<const Value> cotangents)> pullback;
};

Vjp vjp(const Function& fn, std::span<const Value> args);
Vjp vjp(const Function& fn, std::initializer_list<Value> args);

}  // namespace meshwright::autodiff
