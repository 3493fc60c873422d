// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/kernels/linear/linear.h"

namespace meshwright::kernels {

/// OpDef::obstacle of kLinear: the kernel was measured to be faster than XLA's product for more
/// than a few rows, in f32 with AVX-512, and in bf16 with AVX512_BF16 and without AMX.
std::string obstacle_of_linear(const graph::Node& op, const graph::KernelTarget& target);

/// Whether a call has all of each sum, which nothing can be added to otherwise: where sums are
/// split over devices, their parts are added up first.
bool sees_whole_sums(const LinearAxes& axes);

}  // namespace meshwright::kernels
