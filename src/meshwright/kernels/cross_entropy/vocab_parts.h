// SPDX-License-Identifier: Apache-2.0
// The cross-entropy in plain ops for a part of the vocabulary at a time, so that no array has all
// logits. Internal to kernels/cross_entropy.
#pragma once

#include "meshwright/kernels/cross_entropy/cross_entropy.h"
#include "meshwright/kernels/cross_entropy/logits.h"

namespace meshwright::kernels {

/// Returns how many parts the formula takes: 1 if the vocabulary is sharded, which divides the
/// logits as well.
std::int64_t num_parts(const Projection& projection, const CrossEntropyOptions& options);

/// Values that the loss needs of the logits of each example. Arrays have the shape of the labels.
struct ExampleSums {
  graph::Value normalizer;  ///< logsumexp(logits)
  graph::Value labelled;    ///< the logit of the label, 0 for a label out of range
  graph::Value mean;        ///< of the logits; null without label smoothing
  graph::Value predicted;   ///< index of the largest logit, s32
};

/// The table must have the dtype of x.
ExampleSums sums_over_parts(const Projection& projection,
                            graph::Value labels,
                            const CrossEntropyOptions& options);

struct PartGradients {
  graph::Value x, table;  // in the dtype of sums and in options.stored
};

/// Returns the gradients of the weighted sum of the losses. Computes the logits again.
PartGradients gradients_over_parts(const Projection& projection,
                                   const LossTerms& terms,
                                   const CrossEntropyOptions& options);

}  // namespace meshwright::kernels
