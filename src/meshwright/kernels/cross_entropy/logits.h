// SPDX-License-Identifier: Apache-2.0
// Logits as the formulas of the cross-entropy store them. Internal to kernels/cross_entropy.
#pragma once

#include "meshwright/kernels/cross_entropy/cross_entropy.h"

namespace meshwright::kernels {

/// Returns x in f32, or in f64 if it is f64.
graph::Value widened(graph::Value x);

/// Returns the projection with its table in the dtype of x.
Projection with_table_of_x(const Projection& p);

/// Returns the logits in a dtype. The table must have the dtype of x.
graph::Value logits_in(DType out, const Projection& p, SourceLoc loc = SourceLoc());

/// Like logits_in(), in the dtype in which formulas store them.
graph::Value stored_logits(const Projection& p, const CrossEntropyOptions& options);

struct LogitGradients {
  graph::Value x, table;
};

/// Returns the gradients of the operands of logits, given that of the logits. Both are sums in the
/// dtypes `x` and `table`.
LogitGradients gradients_of_logits(const Projection& p,
                                   graph::Value d_logits,
                                   DType stored,
                                   DType x);

/// The terms of the loss besides the logits, with the shape of the labels.
struct LossTerms {
  graph::Value labels;
  graph::Value weights;     // 0 for labels out of range
  graph::Value normalizer;  // logsumexp of all logits
};

/// Returns the gradient of the loss with respect to wide logits, [..., classes], whose indices are
/// `classes`.
graph::Value logit_gradient(graph::Value all,
                            const LossTerms& terms,
                            graph::Value classes,
                            std::int64_t vocab_size,
                            const CrossEntropyOptions& options);

}  // namespace meshwright::kernels
