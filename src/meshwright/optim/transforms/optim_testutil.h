// SPDX-License-Identifier: Apache-2.0
// Parameters for tests of optimizers.
#pragma once

#include <string_view>

#include "meshwright/tensor/param_spec.h"

namespace meshwright::optim {

/// A parameter of these dims, f32, whose axes have these names: "embed mlp".
ParamSpec spec_of(Dims dims, std::string_view axes = "");

/// A small tree with a scalar, vectors, matrices, a stack of matrices of which each is a layer.
ParamSpecs example_specs();

}  // namespace meshwright::optim
