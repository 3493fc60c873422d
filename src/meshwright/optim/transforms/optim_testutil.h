// SPDX-License-Identifier: Apache-2.0
// Parameters for optimizer tests.
#pragma once

#include <string_view>

#include "meshwright/tensor/param_spec.h"

namespace meshwright::optim {

/// Returns the spec of an f32 parameter. `axes` holds names separated by spaces, such as "embed
/// mlp".
ParamSpec spec_of(Dims dims, std::string_view axes = "");

/// Returns a small tree with a scalar, vectors, matrices and a stack of layers.
ParamSpecs example_specs();

}  // namespace meshwright::optim
