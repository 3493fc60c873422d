// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/rows/broadcast_rows.h"

#include <algorithm>

namespace meshwright::kernels {

BroadcastRows::BroadcastRows(std::span<const std::int64_t> dims,
                             std::span<const std::span<const std::int64_t>> others) {
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    if (dims[dim] == 1) continue;
    unsigned changing = 0;
    for (std::size_t i = 0; i < others.size(); ++i)
      changing |= (others[i][dim] == dims[dim] ? 1U : 0U) << i;
    const bool is_first = sizes_[last_] == 1;
    if (!is_first && changing_[last_] != changing) sizes_[++last_] = 1;
    sizes_[last_] *= dims[dim];
    changing_[last_] = changing;
  }
  row_size_ = sizes_[last_];
  for (std::size_t dim = 0; dim < last_; ++dim)
    num_rows_ *= sizes_[dim];
}

bool BroadcastRows::differs_by_row(std::size_t other) const {
  return std::all_of(changing_.begin(), changing_.begin() + last_,
                     [&](unsigned bits) { return has_bit(bits, other); });
}

std::int64_t BroadcastRows::offset(std::size_t other, std::int64_t row) const {
  std::int64_t out = 0, step = changes_in_row(other) ? row_size_ : 1;
  for (std::size_t dim = last_; dim-- > 0;) {
    if (has_bit(changing_[dim], other)) {
      out += row % sizes_[dim] * step;
      step *= sizes_[dim];
    }
    row /= sizes_[dim];
  }
  return out;
}

}  // namespace meshwright::kernels
