// SPDX-License-Identifier: Apache-2.0
// Axes: batch and perhaps len (examples), embed, vocab (classes).
#pragma once

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::kernels {

struct CrossEntropyOptions {
  /// This part of the probability is spread over all classes.
  double label_smoothing = 0;
  /// Adds z_loss * logsumexp(logits)^2, which keeps logits from drifting.
  double z_loss = 0;
};

/// Where logits come from: x, batch len embed or batch embed, times a table.
struct Projection {
  graph::Value x;
  graph::Value table;
  /// The table is vocab embed, as of an embedding, and not embed vocab.
  bool words_first = false;

  std::int64_t num_words() const { return table.dim(words_first ? 0 : 1); }
};

/// x times the table in the dtype of x, in f32 (f64 for f64): batch len vocab.
graph::Value logits(const Projection& projection, SourceLoc loc = SourceLoc::current());

/// Of each example: -log softmax(logits)[label], in f32 (f64 for f64). logits: ... classes; labels:
/// integers ... . An integer outside of the classes has no label: its part is 0.
graph::Value cross_entropies(graph::Value logits,
                             graph::Value labels,
                             const CrossEntropyOptions& options = {});

struct CrossEntropy {
  graph::Value loss;       ///< the weighted sum of the examples' cross-entropies, a scalar
  graph::Value predicted;  ///< the class of the largest logit of each example, s32 batch len
};

/// The sum of cross_entropies(logits(projection), labels) * weights; labels and weights are batch
/// len. On CPUs the logits of a few hundred examples at a time are all there is of them, and the
/// gradients come with the loss: three products in all. The table's gradient is in its dtype.
CrossEntropy cross_entropy(const Projection& projection,
                           graph::Value labels,
                           graph::Value weights,
                           const CrossEntropyOptions& options = {},
                           SourceLoc loc = SourceLoc::current());

struct CrossEntropyAttrs {
  CrossEntropyOptions options;
  bool words_first;
  /// Of kCrossEntropyGradient: which gradients are wanted.
  bool of_x = true, of_table = true;
};
/// attrs: CrossEntropyAttrs. x (f32 or bf16), table (f32), labels (s32), weights (f32). Results:
/// the loss, what is predicted.
extern const graph::OpDef kCrossEntropy;
/// The same, and the gradients of the loss by x and by the table where they are wanted.
extern const graph::OpDef kCrossEntropyGradient;

}  // namespace meshwright::kernels
