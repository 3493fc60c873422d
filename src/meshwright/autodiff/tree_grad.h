// SPDX-License-Identifier: Apache-2.0
// Gradients with respect to a tree of parameters.
#pragma once

#include <functional>

#include "meshwright/autodiff/grad.h"
#include "meshwright/base/tree.h"

namespace meshwright::autodiff {

using ValueTree = Tree<Value>;

/// Result of a loss function: the scalar to differentiate, and metrics or new state.
struct Loss {
  Value value;
  ValueTree aux;
};

struct LossAndGrad {
  Value value;
  ValueTree aux;
  ValueTree gradients;  // with the names and types of the parameters
};

/// Returns the gradients of the loss with respect to every leaf of `parameters`. Throws the
/// errors of value_and_grad() for a list of arguments; an error about a parameter contains its
/// name.
LossAndGrad value_and_grad(const std::function<Loss(const ValueTree& parameters)>& loss,
                           const ValueTree& parameters);

/// Returns only the gradients of a loss without aux.
ValueTree grad(const std::function<Value(const ValueTree& parameters)>& loss,
               const ValueTree& parameters);

}  // namespace meshwright::autodiff
