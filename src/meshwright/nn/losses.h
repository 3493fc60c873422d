// SPDX-License-Identifier: Apache-2.0
// Losses for classifiers and language models.
#pragma once

#include "meshwright/kernels/cross_entropy/cross_entropy.h"
#include "meshwright/nn/context.h"

namespace meshwright::nn {

using CrossEntropyOptions = kernels::CrossEntropyOptions;

/// Returns the cross-entropy per example (kernels::cross_entropies).
Value cross_entropy(Value logits, Value labels, const CrossEntropyOptions& options = {});
/// Like cross_entropy(), for class probabilities with the shape of the logits.
Value soft_cross_entropy(Value logits, Value targets, const CrossEntropyOptions& options = {});
/// Returns, per example, the sum over classes of the binary cross-entropies of logistic(logits).
Value sigmoid_cross_entropy(Value logits, Value targets);

/// Returns 1.0 where the label has the largest logit, otherwise 0.0.
Value is_correct(Value logits, Value labels);

}  // namespace meshwright::nn
