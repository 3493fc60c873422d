// SPDX-License-Identifier: Apache-2.0
// What lies between two products of an MLP.
#pragma once

#include "meshwright/graph/core/value.h"

namespace meshwright::kernels {

enum class Activation { relu, gelu, gelu_tanh, silu };

/// activation(x), times `factor` unless it is null; at least in f32, and rounded once to the dtype
/// of x. Of what its gradient needs only these are kept.
graph::Value activation(Activation kind, graph::Value x, graph::Value factor = {});

/// The same in plain ops, which keep what lies in between.
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
