// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/nn/init.h"

namespace meshwright::nn {

/// `scale` times a matrix with orthonormal columns (rows, if there are more columns), drawn
/// uniformly: as jax.nn.initializers.orthogonal for the same key, but for rounding. The columns are
/// the axis `column`, the last one if it is empty; the rows are all others. Takes a step of work
/// per column; throws invalid_argument for arrays of fewer than two dimensions.
Init orthogonal(double scale = 1.0, std::string column = {});

}  // namespace meshwright::nn
