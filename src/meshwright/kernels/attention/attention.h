// SPDX-License-Identifier: Apache-2.0
// Axes: batch, len (queries), src (keys), kv (key heads), q (queries per key head), dim.
#pragma once

#include <optional>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/kernels/dropout/dropout.h"

namespace meshwright::kernels {

/// Operands: q [batch, len, kv, q, dim]; k and v [batch, src, kv, dim], f32 or bf16. Optional, in
/// this order: a mask of pred, [len, src] or [batch, len, src]; two u32 words of a key for dropping
/// probabilities; a bias of f32, [kv, q, len, src]. attrs: DropoutAttrs. Result: like q.
extern const graph::OpDef kAttention;
/// Operands: q, k, v, the gradient of the result, then mask, key and bias. Results: the gradients
/// of q, k, v and, if present, the bias.
extern const graph::OpDef kAttentionGradient;

struct AttentionOptions {
  graph::Value mask = {}, bias = {};
  /// Dropout of the probabilities [batch, kv, q, len, src].
  std::optional<Drawing> dropout = {};
};

/// Returns the mean of v weighted by softmax(q k + bias) over the keys that the mask lets through;
/// a query whose mask is all false attends to all keys. Expects scaled queries. CPU flash
/// attention: never materialises the score matrix. The formula is used on other platforms, for
/// other dtypes, for few queries, for a bias that is not [kv, q, len, src], and for dropout on a
/// mesh.
graph::Value attention(graph::Value q,
                       graph::Value k,
                       graph::Value v,
                       const AttentionOptions& options = {},
                       SourceLoc loc = SourceLoc::current());

/// The two halves of the formula, for models that change the probabilities in between. `bias`
/// (broadcast to [batch, kv, q, len, src]) and `mask` may be null.
graph::Value attention_probabilities(graph::Value q,
                                     graph::Value k,
                                     graph::Value mask,
                                     graph::Value bias);
graph::Value weighted_values(graph::Value probabilities, graph::Value v);

}  // namespace meshwright::kernels
