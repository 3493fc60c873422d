// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/kernels/linear/linear.h"

namespace meshwright::kernels {

/// OpDef::obstacle of kLinear: the kernel was measured to be faster than XLA's product for more
/// than a few rows, in f32 with AVX-512, and in bf16 with AVX512_BF16 and without AMX.
std::string obstacle_of_linear(const graph::Node& op, const graph::KernelTarget& target);

/// True if a call computes whole sums, so that a bias may be added to them. If the `in` axes are
/// split over devices, the sums must be reduced first.
bool sees_whole_sums(const LinearAxes& axes);

}  // namespace meshwright::kernels
