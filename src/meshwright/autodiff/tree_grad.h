// SPDX-License-Identifier: Apache-2.0
// Gradients with respect to a tree of parameters.
#pragma once

#include <functional>

#include "meshwright/autodiff/grad.h"
#include "meshwright/base/tree.h"

namespace meshwright::autodiff {

using ValueTree = Tree<Value>;

/// What a loss function gives: the scalar that is differentiated, and metrics or new state.
struct Loss {
  Value value;
  ValueTree aux;
};

struct LossAndGrad {
  Value value;
  ValueTree aux;
  ValueTree gradients;  // named and typed as the parameters
};

/// The gradients of the loss with respect to every leaf of `parameters`. Throws as value_and_grad
/// of a list does; a parameter that is no float array is named.
LossAndGrad value_and_grad(const std::function<Loss(const ValueTree& parameters)>& loss,
                           const ValueTree& parameters);

/// Only the gradients, of a loss without aux.
ValueTree grad(const std::function<Value(const ValueTree& parameters)>& loss,
               const ValueTree& parameters);

}  // namespace meshwright::autodiff
