// SPDX-License-Identifier: Apache-2.0
#include "models/layers.h"

#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/functions.h"
#include "meshwright/graph/ops/gather.h"
#include "meshwright/graph/ops/shape.h"

namespace meshwright::test_models {

Value rms_norm(Value x, Value scale) {
  Value wide = cast(x, f32);
  Value power = mean(square(wide), {-1}, {.keep_dims = true});
  return cast(wide * rsqrt(power + 1e-6), x.dtype()) * cast(scale, x.dtype());
}

Value cross_entropy(Value logits, Value targets) {
  Value log_probs = log_softmax(logits, -1);
  return -mean_of_all(take_along_dim(log_probs, expand_dims(targets, {-1}), -1));
}

Value mean_of_all(Value x) {
  Dims all;
  for (int i = 0; i < x.rank(); ++i)
    all.push_back(i);
  return mean(x, all);
}

}  // namespace meshwright::test_models
