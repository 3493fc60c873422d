// SPDX-License-Identifier: Apache-2.0
// Multiplies several factors of an array, row by row.
#pragma once

#include <cstdint>
#include <span>

#include "meshwright/kernels/common/ranges.h"
#include "meshwright/kernels/rows/broadcast_rows.h"

namespace meshwright::kernels {

/// Factor of each element of a row: `all` times the element of `each`, or `all` if `each` is null.
struct RowFactor {
  float all = 1;
  const float* each = nullptr;
};

/// Returns the product of `factors` for the given columns of a row. The shapes of the factors must
/// come first among the `others` that `rows` was constructed with. `scratch` holds one float per
/// column and may back the result.
RowFactor row_factor(const BroadcastRows& rows,
                     std::span<const float* const> factors,
                     std::int64_t row,
                     Range columns,
                     float* scratch);

}  // namespace meshwright::kernels
