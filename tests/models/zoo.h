// SPDX-License-Identifier: Apache-2.0
// Small models for parity with JAX. jax_models.py has a model of the same name for each.
#pragma once

#include <vector>

#include "models/model.h"

namespace meshwright::test_models {

/// Three layers with gelu and a squared error.
Model mlp(DType compute);
/// Multi-head causal attention with a residual, and a squared error.
Model attention(DType compute);
/// Strided, dilated and grouped convolutions, pooling, and a cross entropy.
Model conv_net(DType compute);
/// Tokens routed to two of four experts with limited capacity, and a squared error.
Model mixture_of_experts(DType compute);
/// Returns all of them, and two decoders: an unrolled one, and a scanned one with
/// rematerialisation.
std::vector<Model> zoo(DType compute);

}  // namespace meshwright::test_models
