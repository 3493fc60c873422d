// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/dims.h"

#include <algorithm>
#include <numeric>

namespace meshwright::graph {

std::int64_t from_start(std::int64_t dim, int rank) {
  return dim < 0 && dim >= -rank ? dim + rank : dim;
}

Dims from_start(Dims dims, int rank) {
  for (std::int64_t& dim : dims)
    dim = from_start(dim, rank);
  return dims;
}

Dims counting(int n) {
  Dims out(static_cast<std::size_t>(n));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

Dims counting_without(int n, std::span<const std::int64_t> without) {
  Dims out;
  for (std::int64_t i = 0; i < n; ++i) {
    if (!contains(without, i)) out.push_back(i);
  }
  return out;
}

Dims inverse_permutation(const Dims& permutation) {
  Dims inverse(permutation.size());
  for (std::size_t i = 0; i < permutation.size(); ++i)
    inverse[static_cast<std::size_t>(permutation[i])] = static_cast<std::int64_t>(i);
  return inverse;
}

bool contains(std::span<const std::int64_t> dims, std::int64_t dim) {
  return std::ranges::find(dims, dim) != dims.end();
}

bool in_range(std::span<const std::int64_t> dims, int rank) {
  return std::ranges::all_of(dims, [&](std::int64_t dim) { return dim >= 0 && dim < rank; });
}

bool is_sorted(std::span<const std::int64_t> dims) {
  return std::ranges::is_sorted(dims);
}

bool is_unique(std::span<const std::int64_t> dims, std::span<const std::int64_t> more) {
  Dims all(dims.begin(), dims.end());
  all.insert(all.end(), more.begin(), more.end());
  std::ranges::sort(all);
  return std::ranges::adjacent_find(all) == all.end();
}

}  // namespace meshwright::graph
