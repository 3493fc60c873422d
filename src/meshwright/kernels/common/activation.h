// SPDX-License-Identifier: Apache-2.0
// Activations between the matrix products of an MLP.
#pragma once

#include "meshwright/graph/core/value.h"

namespace meshwright::kernels {

enum class Activation { relu, gelu, gelu_tanh, silu };

/// Returns activation(x), multiplied by `factor` unless that is null. Computes in f32 or wider and
/// rounds once to the dtype of x. Saves only x and `factor` for the gradient.
graph::Value activation(Activation kind, graph::Value x, graph::Value factor = {});

/// Like activation(), but emits plain ops, whose gradient keeps the intermediate values.
graph::Value activation_formula(Activation kind, graph::Value x, graph::Value factor);

/// Gradients of activation(x) * factor, each in the dtype of its operand. `d_factor` is null if
/// there is no factor.
struct ActivationGradients {
  graph::Value d_x, d_factor;
};
/// Returns the gradients in plain ops. `given`: the gradient of the result.
ActivationGradients activation_gradient_formula(Activation kind,
                                                graph::Value x,
                                                graph::Value factor,
                                                graph::Value given);

}  // namespace meshwright::kernels
