// SPDX-License-Identifier: Apache-2.0
// Attention in plain ops. Internal to kernels/attention.
#pragma once

#include <span>
#include <vector>

#include "meshwright/graph/core/node.h"
#include "meshwright/kernels/attention/attention.h"

namespace meshwright::kernels {

/// Returns the options of a node, given its operands, of which those from `first` on are optional.
AttentionOptions options_of(const graph::Node& node,
                            std::span<const graph::Value> operands,
                            std::size_t first);

graph::Value attention_formula(graph::Value q,
                               graph::Value k,
                               graph::Value v,
                               const AttentionOptions& options);

/// The reference of kAttentionGradient: written by hand, since a reference has plain ops only.
/// Recomputes the probabilities.
std::vector<graph::Value> attention_gradient_formula(const graph::Node& node,
                                                     std::span<const graph::Value> in);

}  // namespace meshwright::kernels
