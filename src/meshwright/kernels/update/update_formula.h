// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/kernels/update/update.h"

namespace meshwright::kernels {

/// Returns the update of one array in plain ops.
UpdatedArray updated_by_formula(const ArrayUpdate& array);

}  // namespace meshwright::kernels
