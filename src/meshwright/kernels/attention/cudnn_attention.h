// SPDX-License-Identifier: Apache-2.0
// The ops of flash_attention.h by cuDNN. Internal to kernels/attention.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "meshwright/graph/core/kernel_target.h"
#include "meshwright/graph/core/node.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::kernels {

/// Returns why cuDNN cannot compute kFlashAttention or kFlashAttentionGradient, with the optional
/// operands from `first_extra` on; an empty string if it can.
std::string obstacle_of_cudnn(const graph::Node& op,
                              int first_extra,
                              const graph::KernelTarget& target);

/// Return the results of kFlashAttention and of kFlashAttentionGradient. With segments, the program
/// decides at run time whether cuDNN can take them. If it does, the logarithms of sums are zeros,
/// and the gradient does not read them.
std::vector<graph::Value> attention_by_cudnn(const graph::Node& node,
                                             std::span<const graph::Value> in);
std::vector<graph::Value> attention_gradient_by_cudnn(const graph::Node& node,
                                                      std::span<const graph::Value> in);

}  // namespace meshwright::kernels
