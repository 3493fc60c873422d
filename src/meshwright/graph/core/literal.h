// SPDX-License-Identifier: Apache-2.0
// Numbers in StableHLO text, between "dense<" and ">".
#pragma once

#include <cstdint>
#include <string>

#include "meshwright/tensor/dtype.h"

namespace meshwright::graph {

/// Formats one number of this dtype; truncates fractions for integer dtypes.
std::string literal(double number, DType dtype);
std::string literal(std::int64_t number, DType dtype);

/// The initial values of a maximum and a minimum: the smallest and largest value of the dtype,
/// infinite if it has infinities.
std::string lowest_literal(DType dtype);
std::string highest_literal(DType dtype);
/// The initial value of a logical and: the integer with every bit set, or true.
std::string all_bits_literal(DType dtype);

}  // namespace meshwright::graph
