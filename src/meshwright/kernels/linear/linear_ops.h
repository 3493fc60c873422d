// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/kernels/linear/linear.h"

namespace meshwright::kernels {

/// The OpDef::obstacle function of kLinear. The kernel applies where measurements found it faster
/// than XLA: for more than a few rows, in f32 with AVX-512, or in bf16 with AVX512_BF16 but no AMX.
std::string obstacle_of_linear(const graph::Node& op, const graph::KernelTarget& target);

/// True if each call computes complete sums, so it may add a bias. If the `in` axes are sharded,
/// the sums must be reduced over devices first.
bool sees_whole_sums(const LinearAxes& axes);

}  // namespace meshwright::kernels
