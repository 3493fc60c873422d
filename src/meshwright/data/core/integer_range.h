// SPDX-License-Identifier: Apache-2.0
// Bounds on the integers in batches, such as tokens. A compiled program does not report
// out-of-range indices, so they are checked here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "meshwright/data/core/source.h"

namespace meshwright::data {

/// Requires the elements of one array to be in [0, size).
struct IntegerRange {
  std::string array;
  std::int64_t size = 0;
  /// Name of an array of the same shape that marks unchecked positions with 0. If empty, all
  /// positions are checked.
  std::string weights = {};
  bool may_be_negative = false;  // ignore negative elements
};

/// Throws invalid_argument for the first element that is out of range, with its array, row in the
/// whole batch, position and value. `rows` specifies the rows that `batch` holds. Skips arrays that
/// the batch lacks.
void check_integers(const Batch& batch, const std::vector<IntegerRange>& ranges, Rows rows);

}  // namespace meshwright::data
