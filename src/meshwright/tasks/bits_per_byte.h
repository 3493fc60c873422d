// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/data/core/text_codec.h"
#include "meshwright/train/task/task.h"

namespace meshwright::tasks {

/// The predicted tokens of a batch, all [batch len].
struct PredictedTokens {
  graph::Value inputs;   // s32: the token before each target
  graph::Value targets;  // s32
  graph::Value weights;  // f32
};

/// Returns the metric bits_per_byte: the weighted sum of the targets' cross-entropies, in bits,
/// over the weighted sum of their bytes. `loss` is the weighted mean of the cross-entropies, in
/// nats. Targets without bytes, such as EOS, count in the first sum.
train::Weighted bits_per_byte(const train::Weighted& loss,
                              const PredictedTokens& tokens,
                              const data::TokenSizes& sizes);

}  // namespace meshwright::tasks
