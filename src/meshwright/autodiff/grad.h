// SPDX-License-Identifier: Apache-2.0
// Gradients of traced functions. Everything they emit is ordinary nodes of the program being
// traced, so they nest: a gradient can be differentiated again.
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
  Value value;                   // the first result, which was differentiated
  std::vector<Value> aux;        // the other results
  std::vector<Value> gradients;  // one per argument, of its type
};

/// The gradients of the first result of `fn`, a float scalar, with respect to all arguments.
/// Throws invalid_argument if an argument is no float array (use it as a captured value instead),
/// or if an op on the way has no gradient.
ValueAndGrad value_and_grad(const Function& fn, std::span<const Value> args);
ValueAndGrad value_and_grad(const Function& fn, std::initializer_list<Value> args);

/// Only the gradients.
std::vector<Value> grad(const Function& fn, std::span<const Value> args);
std::vector<Value> grad(const Function& fn, std::initializer_list<Value> args);
Value grad(const Function& fn, Value arg);

/// Results of a function and the way back from them.
struct Vjp {
  std::vector<Value> results;
  /// Gradients of all arguments, given one cotangent per result, of its type; an empty Value stands
  /// for zeros. May be called several times while the same program is being traced.
  std::function<std::vector<Value>(std::span<const Value> cotangents)> pullback;
};

Vjp vjp(const Function& fn, std::span<const Value> args);
Vjp vjp(const Function& fn, std::initializer_list<Value> args);

}  // namespace meshwright::autodiff
