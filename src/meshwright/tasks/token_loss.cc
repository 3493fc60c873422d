// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tasks/token_loss.h"

#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/sharding/global.h"
#include "meshwright/tasks/batch_arrays.h"
#include "meshwright/train/task/model_outputs.h"

namespace meshwright::tasks {

using graph::Value;

train::TaskLoss token_loss(const kernels::Projection& projection,
                           const Value& targets,
                           const Value& weights,
                           const TokenLossConfig& config,
                           const nn::Outputs& outputs) {
  Value weight = graph::global_sum(weights);
  // Weights are normalised first, so that the gradients computed with the sum are those of the
  // mean.
  Value parts = weights / graph::where(graph::equal(weight, 0), 1, weight);
  kernels::CrossEntropy all = kernels::cross_entropy(projection, targets, parts,
                                                     {.label_smoothing = config.label_smoothing,
                                                      .z_loss = config.z_loss,
                                                      .stored = *find_dtype(config.logits_dtype),
                                                      .vocab_parts = config.vocab_parts});
  train::TaskLoss out{.loss = {graph::global_sum(all.loss), weight}};
  Value is_correct = graph::cast(graph::equal(all.predicted, graph::cast(targets, s32)), f32);
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
