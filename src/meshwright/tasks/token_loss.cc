// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tasks/token_loss.h"

#include "meshwright/graph/global.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/nn/losses.h"
#include "meshwright/tasks/batch_arrays.h"
#include "meshwright/train/model_outputs.h"

namespace meshwright::tasks {

using graph::Value;

train::TaskLoss token_loss(const Value& logits,
                           const Value& targets,
                           const Value& weights,
                           const TokenLossConfig& config,
                           const nn::Outputs& outputs) {
  Value losses = nn::cross_entropy(
      logits, targets, {.label_smoothing = config.label_smoothing, .z_loss = config.z_loss});
  Value weight = graph::global_sum(weights);
  train::TaskLoss out{.loss = {graph::global_mean(losses, weights), weight}};
  Value is_correct = graph::cast(nn::is_correct(logits, targets), f32);
  out.metrics["accuracy"] = {graph::global_mean(is_correct, weights), weight};
  train::add_outputs(outputs, out);
  return out;
}

train::EvalOutput exact_match_of(const train::TaskInput& input,
                                 const Value& given,
                                 const Value& wanted,
                                 const Value& counts) {
  Value is_right = graph::logical_or(graph::equal(given, wanted), graph::logical_not(counts));
  Value all_right = graph::cast(graph::reduce_and(is_right, {1}), f32);
  Value weights = example_weights(input.batch, wanted.dim(0));
  train::EvalOutput out;
  out.metrics["exact_match"] = {graph::global_mean(all_right, weights), graph::global_sum(weights)};
  return out;
}

}  // namespace meshwright::tasks
