// SPDX-License-Identifier: Apache-2.0
// What classifiers and language models are trained on.
#pragma once

#include "meshwright/nn/context.h"

namespace meshwright::nn {

struct CrossEntropyOptions {
  /// This part of the probability is spread over all classes.
  double label_smoothing = 0;
  /// Adds z_loss * logsumexp(logits)^2, which keeps logits from drifting.
  double z_loss = 0;
};

/// Of each example: -log softmax(logits)[label], in f32 (f64 for f64). logits: ... classes; labels:
/// integers ... . An integer outside of the classes has no label: its part is 0.
Value cross_entropy(Value logits, Value labels, const CrossEntropyOptions& options = {});
/// The same for probabilities of classes, of the shape of the logits.
Value soft_cross_entropy(Value logits, Value targets, const CrossEntropyOptions& options = {});
/// Of each example: the sum over classes of the binary cross-entropies of logistic(logits).
Value sigmoid_cross_entropy(Value logits, Value targets);

/// 1.0 where the largest logit is that of the label, else 0.0.
Value is_correct(Value logits, Value labels);

}  // namespace meshwright::nn
