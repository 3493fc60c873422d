// SPDX-License-Identifier: Apache-2.0
// Attention on platforms other than CPUs. Internal to kernels/attention.
#pragma once

#include "meshwright/kernels/attention/attention.h"

namespace meshwright::kernels {

/// Like kAttention, whose mask may also have dimensions of 1. Results: the result of kAttention;
/// the logarithms of the sums of exp(scores), f32 [batch, kv, q, len], with which the gradient
/// needs no second softmax.
extern const graph::OpDef kFlashAttention;
/// Operands: q, k, v, the gradient of the result, both results of kFlashAttention, then the
/// optional operands. Results: the gradients of q, k, v and, if present, the bias.
extern const graph::OpDef kFlashAttentionGradient;

/// Computes attention().
graph::Value flash_attention(
    graph::Value q, graph::Value k, graph::Value v, const AttentionOptions& options, SourceLoc loc);

}  // namespace meshwright::kernels
