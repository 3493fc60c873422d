// SPDX-License-Identifier: Apache-2.0
#include "models/optimizer.h"

#include <cmath>

#include "meshwright/graph/ops/elementwise.h"

namespace meshwright::test_models {

std::vector<Value> sgd(std::span<const Value> params,
                       std::span<const Value> grads,
                       const SgdOptions& options) {
  std::vector<Value> out;
  for (std::size_t i = 0; i < params.size(); ++i)
    out.push_back(params[i] - options.learning_rate * grads[i]);
  return out;
}

AdamState adamw(const AdamState& state,
                std::span<const Value> grads,
                Value step,
                const AdamWOptions& o) {
  Value bias1 = 1 - graph::exp(step * std::log(o.b1));
  Value bias2 = 1 - graph::exp(step * std::log(o.b2));
  AdamState next;
  for (std::size_t i = 0; i < grads.size(); ++i) {
    Value p = state.params[i];
    Value mu = o.b1 * state.mu[i] + (1 - o.b1) * grads[i];
    Value nu = o.b2 * state.nu[i] + (1 - o.b2) * square(grads[i]);
    Value direction = mu / bias1 / (graph::sqrt(nu / bias2) + o.eps) + o.weight_decay * p;
    next.params.push_back(p - o.learning_rate * direction);
    next.mu.push_back(mu);
    next.nu.push_back(nu);
  }
  return next;
}

}  // namespace meshwright::test_models
