// SPDX-License-Identifier: Apache-2.0
// Layers shared by the test models.
#pragma once

#include "meshwright/graph/core/value.h"

namespace meshwright::test_models {

using graph::Value;

/// Returns x / sqrt(mean(x^2) + 1e-6) * scale over the last dimension, computed in f32.
Value rms_norm(Value x, Value scale);
/// Returns the mean of -log softmax(logits)[target]; logits f32 [..., classes], targets s32 [...].
Value cross_entropy(Value logits, Value targets);
Value mean_of_all(Value x);

}  // namespace meshwright::test_models
