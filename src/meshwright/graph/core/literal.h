// SPDX-License-Identifier: Apache-2.0
// Formats numbers for StableHLO text: the part between "dense<" and ">".
#pragma once

#include <cstdint>
#include <string>

#include "meshwright/tensor/dtype.h"

namespace meshwright::graph {

/// Formats a number of this dtype. Truncates fractions for integer dtypes.
std::string literal(double number, DType dtype);
std::string literal(std::int64_t number, DType dtype);

/// Return the smallest and the largest value of the dtype (infinities if it has them): the initial
/// values of max and min reductions.
std::string lowest_literal(DType dtype);
std::string highest_literal(DType dtype);
/// Returns the integer with every bit set, or true: the initial value of an `and` reduction.
std::string all_bits_literal(DType dtype);

}  // namespace meshwright::graph
