// SPDX-License-Identifier: Apache-2.0
// Attention in plain ops for a few hundred queries at a time, so that no array has a score for
// every query and key. Internal to kernels/attention.
#pragma once

#include <optional>

#include "meshwright/kernels/attention/attention_formula.h"

namespace meshwright::kernels {

struct BlockedAttention {
  graph::Value out;
  /// The logarithms of the sums of exp(scores), [batch, kv, q, len]: f64 for q of f64, else f32.
  graph::Value log_sums;
};

/// Computes attention() without dropout.
BlockedAttention attention_in_blocks(graph::Value q,
                                     graph::Value k,
                                     graph::Value v,
                                     const AttentionOptions& options);

/// Returns the gradients, given that of the result. `forward` is what attention_in_blocks()
/// returned for the same operands; without it, the softmax is computed once more.
AttentionGradients attention_gradient_in_blocks(graph::Value q,
                                                graph::Value k,
                                                graph::Value v,
                                                const AttentionOptions& options,
                                                const std::optional<BlockedAttention>& forward,
                                                graph::Value given);

}  // namespace meshwright::kernels
