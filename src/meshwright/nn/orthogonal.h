// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/nn/init.h"

namespace meshwright::nn {

/// Returns an initialiser that draws `scale` times a uniformly distributed matrix with orthonormal
/// columns, or orthonormal rows if there are more columns than rows. For the same key, the result
/// equals that of jax.nn.initializers.orthogonal up to rounding. The axis `column` (if empty, the
/// last axis) enumerates the columns; all other axes enumerate the rows. Runs one sequential step
/// per column. Throws invalid_argument for arrays with fewer than two dimensions.
Init orthogonal(double scale = 1.0, std::string column = {});

}  // namespace meshwright::nn
