// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/losses.h"

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/functions.h"
#include "meshwright/graph/ops/gather.h"
#include "meshwright/graph/ops/gradient.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/shape.h"

namespace meshwright::nn {
namespace {

Value wide(Value x) {
  return x.dtype() == f64 ? x : cast(x, f32);
}

}  // namespace

Value cross_entropy(Value logits, Value labels, const CrossEntropyOptions& options) {
  return kernels::cross_entropies(logits, labels, options);
}

Value soft_cross_entropy(Value logits, Value targets, const CrossEntropyOptions& options) {
  logits = wide(logits);
  targets = cast(targets, logits.dtype());
  double smoothing = options.label_smoothing;
  if (smoothing > 0) {
    targets = targets * (1 - smoothing) + smoothing / static_cast<double>(logits.dim(-1));
  }
  Value log_normalizer = logsumexp(logits, {-1});
  Value loss = reduce_sum(targets * (expand_dims(log_normalizer, {-1}) - logits), {-1});
  return options.z_loss == 0 ? loss : loss + square(log_normalizer) * options.z_loss;
}

Value sigmoid_cross_entropy(Value logits, Value targets) {
  logits = wide(logits);
  targets = cast(targets, logits.dtype());
  return -reduce_sum(targets * log_sigmoid(logits) + (1 - targets) * log_sigmoid(-logits), {-1});
}

Value is_correct(Value logits, Value labels) {
  return cast(graph::equal(argmax(logits, -1, labels.dtype()), labels), f32);
}

}  // namespace meshwright::nn
