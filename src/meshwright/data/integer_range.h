// SPDX-License-Identifier: Apache-2.0
// Limits of the integers in batches, such as tokens: a program takes what is outside of a table for
// anything, and says nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "meshwright/data/source.h"

namespace meshwright::data {

/// Elements of one array are from 0 to size - 1.
struct IntegerRange {
  std::string array;
  std::int64_t size = 0;
  /// An array of the batch of the same shape: where it is 0, anything may stand; empty: none.
  std::string weights = {};
  bool may_be_negative = false;  // what is negative does not count
};

/// Throws invalid_argument with array, row of the whole batch, place and value for the first
/// element outside of its range. `rows`: those that the batch holds. Arrays that it lacks are not
/// checked.
void check_integers(const Batch& batch, const std::vector<IntegerRange>& ranges, Rows rows);

}  // namespace meshwright::data
