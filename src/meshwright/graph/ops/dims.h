// SPDX-License-Identifier: Apache-2.0
// Helpers for lists of dimension positions, shared by the op families.
#pragma once

#include <cstdint>
#include <span>

#include "meshwright/tensor/shape.h"

namespace meshwright::graph {

/// Converts a negative position, which counts from the end, to one that counts from the start.
/// Returns positions that are out of range unchanged, so that the op's infer rejects them as
/// written.
std::int64_t from_start(std::int64_t dim, int rank);
Dims from_start(Dims dims, int rank);

/// Returns {0, 1, ..., n - 1}.
Dims counting(int n);
/// Returns counting(n) without the numbers in `without`.
Dims counting_without(int n, std::span<const std::int64_t> without);
/// Returns the permutation q with q[permutation[i]] = i.
Dims inverse_permutation(const Dims& permutation);

bool contains(std::span<const std::int64_t> dims, std::int64_t dim);
/// True if all positions are in 0 <= dim < rank.
bool in_range(std::span<const std::int64_t> dims, int rank);
bool is_sorted(std::span<const std::int64_t> dims);
/// True if no position appears twice in the two lists together. Positions must be in range.
bool is_unique(std::span<const std::int64_t> dims, std::span<const std::int64_t> more = {});

}  // namespace meshwright::graph
