// SPDX-License-Identifier: Apache-2.0
// What classifiers and language models are trained on.
#pragma once

#include "meshwright/kernels/cross_entropy/cross_entropy.h"
#include "meshwright/nn/context.h"

namespace meshwright::nn {

using CrossEntropyOptions = kernels::CrossEntropyOptions;

/// Of each example, kernels::cross_entropies.
Value cross_entropy(Value logits, Value labels, const CrossEntropyOptions& options = {});
/// The same for probabilities of classes, of the shape of the logits.
Value soft_cross_entropy(Value logits, Value targets, const CrossEntropyOptions& options = {});
/// Of each example: the sum over classes of the binary cross-entropies of logistic(logits).
Value sigmoid_cross_entropy(Value logits, Value targets);

/// 1.0 where the largest logit is that of the label, else 0.0.
Value is_correct(Value logits, Value labels);

}  // namespace meshwright::nn
