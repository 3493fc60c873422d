// SPDX-License-Identifier: Apache-2.0
// Parameters for optimizer tests.
#pragma once

#include <string_view>

#include "meshwright/tensor/param_spec.h"

namespace meshwright::optim {

/// An f32 parameter. `axes`: names separated by spaces, "embed mlp".
ParamSpec spec_of(Dims dims, std::string_view axes = "");

/// A small tree: a scalar, vectors, matrices and a stack of layers.
ParamSpecs example_specs();

}  // namespace meshwright::optim
