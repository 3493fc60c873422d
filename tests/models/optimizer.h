// SPDX-License-Identifier: Apache-2.0
// Optimizers over lists of parameters, written with graph functions.
#pragma once

#include <span>
#include <vector>

#include "meshwright/graph/core/value.h"

namespace meshwright::test_models {

using graph::Value;

struct SgdOptions {
  double learning_rate = 0.1;
};
std::vector<Value> sgd(std::span<const Value> params,
                       std::span<const Value> grads,
                       const SgdOptions& options = {});

struct AdamWOptions {
  double learning_rate = 1e-2;
  double b1 = 0.9;
  double b2 = 0.99;
  double eps = 1e-3;  // large, so that rounding of a gradient near zero does not determine the step
  double weight_decay = 0.1;
};
struct AdamState {
  std::vector<Value> params, mu, nu;
};
/// `step` is the number of this update, a scalar f32 that starts at 1.
AdamState adamw(const AdamState& state,
                std::span<const Value> grads,
                Value step,
                const AdamWOptions& options = {});

}  // namespace meshwright::test_models
