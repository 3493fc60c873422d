// SPDX-License-Identifier: Apache-2.0
// The product of several factors of an array, row by row.
#pragma once

#include <cstdint>
#include <span>

#include "meshwright/kernels/common/ranges.h"
#include "meshwright/kernels/rows/broadcast_rows.h"

namespace meshwright::kernels {

/// Factors of some elements of a row: `all` times `each`; null `each`: ones.
struct RowFactor {
  float all = 1;
  const float* each = nullptr;
};

/// `factors` are the first of the others of `rows`. `scratch` has room for one float per column.
RowFactor row_factor(const BroadcastRows& rows,
                     std::span<const float* const> factors,
                     std::int64_t row,
                     Range columns,
                     float* scratch);

}  // namespace meshwright::kernels
