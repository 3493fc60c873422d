// SPDX-License-Identifier: Apache-2.0
// Axes: batch, len (queries), src (keys), kv (key heads), q (queries per key head), dim.
#pragma once

#include <optional>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/kernels/dropout/dropout.h"

namespace meshwright::kernels {

struct AttentionAttrs {
  double keep_probability = 1;  ///< of the dropout
  bool causal = false;
  std::int64_t window = 0;       ///< 0: none
  bool has_key_lengths = false;  ///< tells key lengths from lengths of prefixes
};

/// Operands: q [batch, len, kv, q, dim]; k and v [batch, src, kv, dim], f32 or bf16. Optional, in
/// this order: a pred mask, [len, src] or [batch, len, src]; s32 lengths of prefixes, [batch],
/// which only the formula takes; s32 lengths of keys, [batch]; the s32 segments of the queries,
/// [batch, len], and, if the keys have other segments, those of the keys, [batch, src]; the two u32
/// words of a dropout key; an f32 bias, [kv, q, len, src]. attrs: AttentionAttrs. Result: same
/// shape and dtype as q.
extern const graph::OpDef kAttention;
/// Operands: q, k, v, the gradient of the result, then the other operands of kAttention.
/// Results: the gradients of q, k, v and, if present, the bias.
extern const graph::OpDef kAttentionGradient;

/// True for calls of attention() that are not traced as formulas.
bool is_attention(const graph::Node& node);

/// Query i attends to key j if every given condition holds: the mask is true at (i, j), both have
/// the same segment, j is within the window and the length of the keys, and, if `causal`, j <= i or
/// j is in the prefix. Any of these is cheaper than an equal mask: no array of size [len, src] is
/// stored, and CPU kernels skip the key blocks that no query of a block attends to. The time for a
/// row of several documents therefore grows with the sum of the squared document lengths, not with
/// the squared row length; with a window, it grows with the window times the row length.
struct AttentionOptions {
  graph::Value mask = {}, bias = {};
  /// The document of each token, s32 [batch, len]. Ids may appear in any order. Id 0, by convention
  /// padding, is an ordinary segment, so no query is left without keys.
  graph::Value segments = {};
  /// The segments of the keys, s32 [batch, src]. Null: the same as for the queries.
  graph::Value key_segments = {};
  bool causal = false;
  /// Unless 0, each query sees only this many keys: its own and those just before. Needs `causal`;
  /// excludes `prefix`.
  std::int64_t window = 0;
  /// The number of keys that the queries of a row may see, s32 [batch]; the others are padding. At
  /// least the first key counts.
  graph::Value key_lengths = {};
  /// Lengths of prefixes, s32 [batch]: all queries of a row see the keys before this position,
  /// despite `causal`.
  graph::Value prefix = {};
  /// In place of `bias`: a bias that depends only on the distance, f32 [kv, q, len + src - 1];
  /// query i and key j get element j - i + len - 1. Unlike `bias`, it is never stored for all
  /// queries and keys, except on CPUs.
  graph::Value distance_bias = {};
  /// Dropout applied to the probabilities [batch, kv, q, len, src].
  std::optional<Drawing> dropout = {};
};

/// Returns the mean of v weighted by softmax(q k + bias) over the keys each query attends to; a
/// query that attends to no key gets the mean of v over all keys. The queries must already be
/// scaled. Never stores the scores of all queries: CPUs have a kernel, and other platforms compute
/// a few hundred queries at a time. Exceptions, which take the formula: other dtypes, a small
/// number of queries, a bias whose shape is not [kv, q, len, src], and dropout on a mesh or without
/// the kernel.
graph::Value attention(graph::Value q,
                       graph::Value k,
                       graph::Value v,
                       const AttentionOptions& options = {},
                       SourceLoc loc = SourceLoc::current());

/// The two halves of the formula, for models that modify the probabilities in between. `bias`
/// broadcasts to [batch, kv, q, len, src]. `mask` and `bias` may be null.
graph::Value attention_probabilities(graph::Value q,
                                     graph::Value k,
                                     graph::Value mask,
                                     graph::Value bias);
graph::Value weighted_values(graph::Value probabilities, graph::Value v);

}  // namespace meshwright::kernels
