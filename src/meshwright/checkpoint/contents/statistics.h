// SPDX-License-Identifier: Apache-2.0
// Statistics of stored arrays and differences between two checkpoints. Arrays are read chunk by
// chunk, within the budget of inspection.h.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "meshwright/checkpoint/contents/stored.h"

namespace meshwright::checkpoint {

/// Statistics of the finite elements, unless noted otherwise.
struct Statistics {
  /// Histogram of magnitudes by decade: below 1e-8, from 1e-8 to 1e-7, ..., from 1e3 up. Zeros are
  /// not counted.
  static constexpr int kFirstDecade = -8;
  static constexpr std::size_t kNumDecades = 13;

  std::int64_t num_elements = 0;  // all elements
  std::int64_t num_nan = 0;
  std::int64_t num_infinite = 0;
  std::int64_t num_zero = 0;
  double min = 0;  // min and max include infinities but not NaN
  double max = 0;
  double mean = 0;
  double variance = 0;
  std::array<std::int64_t, kNumDecades> decades = {};

  std::int64_t num_finite() const { return num_elements - num_nan - num_infinite; }
};

/// Throws if reading fails, and throws unimplemented for chunks that are too large to inspect.
Statistics statistics(const StoredArray& array, const ReadOptions& options = {});

/// Elements are equal if |a - b| <= atol + rtol * |b|. NaN equals NaN.
struct Tolerance {
  double atol = 0;
  double rtol = 0;
};

/// Differences between two arrays with the same path and shape.
struct ArrayDifference {
  std::string path;
  std::int64_t num_elements = 0;
  std::int64_t num_different = 0;  // by more than the tolerance
  double largest = 0;              // largest |a - b|; NaN if one of them is NaN
};

/// Returns the arrays that differ by more than the tolerance, among those in both checkpoints with
/// equal shapes. Throws the errors of statistics(), and unimplemented for arrays above 32 MiB whose
/// chunk shapes differ so much that every chunk would be read many times.
std::vector<ArrayDifference> differing_arrays(const Stored& a,
                                              const Stored& b,
                                              const Tolerance& tolerance = {},
                                              const ReadOptions& options = {});

}  // namespace meshwright::checkpoint
