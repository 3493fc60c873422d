// SPDX-License-Identifier: Apache-2.0
// Axes: batch and optionally len (examples), embed, vocab (classes).
#pragma once

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::kernels {

struct CrossEntropyOptions {
  /// Fraction of the target probability that is spread evenly over all classes.
  double label_smoothing = 0;
  /// Adds z_loss * logsumexp(logits)^2, which keeps logits from drifting.
  double z_loss = 0;
  /// bf16: where logits are stored, which CPU kernels avoid, they are rounded to bf16, and so are
  /// the gradients of x and the table, and the operands of their products.
  DType stored = DType::f32;
  /// Where logits are stored, at most this fraction of them is at a time: the loss goes through the
  /// vocabulary twice, part by part, and computes the logits twice. Ignored if the vocabulary is
  /// sharded.
  std::int64_t vocab_parts = 1;
};

/// Logits as an unevaluated product of x, [batch, len, embed] or [batch, embed], and a table.
struct Projection {
  graph::Value x;
  graph::Value table;
  /// True: the table is [vocab, embed], as for embeddings; false: [embed, vocab].
  bool vocab_first = false;

  std::int64_t vocab_size() const { return table.dim(vocab_first ? 0 : 1); }
};

/// Returns x times the table, [batch, len, vocab] or [batch, vocab]. Multiplies in the dtype of x;
/// the result is f32 (f64 for f64).
graph::Value logits(const Projection& projection, SourceLoc loc = SourceLoc::current());

/// Returns -log softmax(logits)[label] per example, in f32 (f64 for f64). logits: [..., classes];
/// labels: integers [...]. The result is 0 for labels out of range.
graph::Value cross_entropies(graph::Value logits,
                             graph::Value labels,
                             const CrossEntropyOptions& options = {});

struct CrossEntropy {
  graph::Value loss;       ///< a scalar: the weighted sum of the examples' cross-entropies
  graph::Value predicted;  ///< index of the largest logit of each example, s32
};

/// Returns the sum of cross_entropies(logits(projection), labels) * weights; labels and weights are
/// [batch, len] or [batch]. The CPU kernel holds the logits of a few hundred examples at a time and
/// computes the gradients together with the loss, in three matrix products. The table's gradient
/// has the table's dtype.
CrossEntropy cross_entropy(const Projection& projection,
                           graph::Value labels,
                           graph::Value weights,
                           const CrossEntropyOptions& options = {},
                           SourceLoc loc = SourceLoc::current());

struct CrossEntropyAttrs {
  CrossEntropyOptions options;
  bool vocab_first;
  /// For kCrossEntropyGradient: which gradients are needed.
  bool d_x = true, d_table = true;
};
/// Operands: x (f32 or bf16), table (f32), labels (s32), weights (f32). attrs: CrossEntropyAttrs.
/// Results: the loss, the predicted classes.
extern const graph::OpDef kCrossEntropy;
/// Like kCrossEntropy. Additional results: the gradients of the loss with respect to x and to the
/// table, each only if needed.
extern const graph::OpDef kCrossEntropyGradient;

}  // namespace meshwright::kernels
