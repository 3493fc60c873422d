// SPDX-License-Identifier: Apache-2.0
// Activations between the products of an MLP.
#pragma once

#include "meshwright/graph/core/value.h"

namespace meshwright::kernels {

enum class Activation { relu, gelu, gelu_tanh, silu };

/// Returns activation(x), times `factor` unless that is null. Computes at least in f32 and rounds
/// once to the dtype of x. Keeps only x and `factor` for the gradient.
graph::Value activation(Activation kind, graph::Value x, graph::Value factor = {});

/// Like activation(), in plain ops, whose gradient keeps intermediate values.
graph::Value activation_formula(Activation kind, graph::Value x, graph::Value factor);

/// Given the gradient of activation(x) * factor, those of both in their dtypes, in plain ops;
/// without a factor that is null.
struct ActivationGradients {
  graph::Value d_x, d_factor;
};
ActivationGradients activation_gradient_formula(Activation kind,
                                                graph::Value x,
                                                graph::Value factor,
                                                graph::Value given);

}  // namespace meshwright::kernels
