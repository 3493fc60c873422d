// SPDX-License-Identifier: Apache-2.0
// Small models for parity with JAX. Each has its twin of the same name in jax_models.py.
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
/// Tokens sent to two of four experts, which have room for some of them, and a squared error.
Model mixture_of_experts(DType compute);
/// All of them, and decoders: an unrolled one, and one with layers scanned and computed again.
std::vector<Model> zoo(DType compute);

}  // namespace meshwright::test_models
