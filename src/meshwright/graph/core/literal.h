// SPDX-License-Identifier: Apache-2.0
// Numbers as they stand in StableHLO text, between "dense<" and ">".
#pragma once

#include <cstdint>
#include <string>

#include "meshwright/tensor/dtype.h"

namespace meshwright::graph {

/// One number of this dtype; fractions are cut off where the dtype has none.
std::string literal(double number, DType dtype);
std::string literal(std::int64_t number, DType dtype);

/// The smallest and the largest value of the dtype, infinite where it has infinities: where a
/// maximum and a minimum start.
std::string lowest_literal(DType dtype);
std::string highest_literal(DType dtype);
/// The integer with every bit set, or true: where a logical and starts.
std::string all_bits_literal(DType dtype);

}  // namespace meshwright::graph
