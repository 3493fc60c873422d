// SPDX-License-Identifier: Apache-2.0
// Axes: batch, len (queries), src (keys), kv (key heads), q (queries per key head), dim.
#pragma once

#include <optional>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/kernels/dropout/dropout.h"

namespace meshwright::kernels {

/// q, batch len kv q dim; k and v, batch src kv dim, f32 or bf16; then perhaps a mask, [len, src]
/// or [batch, len, src] of pred; then perhaps the words of a key, by which probabilities are
/// dropped, u32; then perhaps a bias, [kv, q, len, src] of f32. attrs: DropoutAttrs. The result is
/// as q.
extern const graph::OpDef kAttention;
/// q, k, v, the gradient of the result, then mask, key and bias. Results: the gradients of q, k and
/// v, and of the bias if there is one.
extern const graph::OpDef kAttentionGradient;

struct AttentionOptions {
  graph::Value mask = {}, bias = {};
  /// Of the probabilities, batch kv q len src.
  std::optional<Drawing> dropout = {};
};

/// The mean of v, weighted by softmax(q k + bias) over the keys that the mask shows; of all keys,
/// where it shows none. The queries are scaled already. On CPUs the scores of a few queries at a
/// time are all there is of them; elsewhere, for other dtypes, for a bias that is not
/// [kv, q, len, src], and with dropout on a mesh, it is the formula.
graph::Value attention(graph::Value q,
                       graph::Value k,
                       graph::Value v,
                       const AttentionOptions& options = {},
                       SourceLoc loc = SourceLoc::current());

/// The two halves of the formula, for who needs something in between. `bias` (broadcast to batch kv
/// q len src) and `mask` may be empty.
graph::Value attention_probabilities(graph::Value q,
                                     graph::Value k,
                                     graph::Value mask,
                                     graph::Value bias);
graph::Value weighted_values(graph::Value probabilities, graph::Value v);

}  // namespace meshwright::kernels
