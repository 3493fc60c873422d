// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/rows/row_factors.h"

#include <algorithm>

namespace meshwright::kernels {

RowFactor row_factor(const BroadcastRows& rows,
                     std::span<const float* const> factors,
                     std::int64_t row,
                     Range columns,
                     float* scratch) {
  RowFactor out;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const float* values = factors[i] + rows.offset(i, row);
    if (!rows.changes_in_row(i)) {
      out.all *= values[0];
      continue;
    }
    values += columns.begin;
    if (out.each == nullptr) {
      out.each = values;
      continue;
    }
    std::transform(values, values + columns.size(), out.each, scratch,
                   [](float a, float b) { return a * b; });
    out.each = scratch;
  }
  return out;
}

}  // namespace meshwright::kernels
