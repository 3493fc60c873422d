// SPDX-License-Identifier: Apache-2.0
// Functions shared by the tasks whose models output tokens.
#pragma once

#include <string>

#include "meshwright/kernels/cross_entropy/cross_entropy.h"
#include "meshwright/tasks/compute_config.h"
#include "meshwright/train/task/model_task.h"

namespace meshwright::tasks {

struct TokenLossConfig : ComputeConfig {
  double label_smoothing = 0;
  double z_loss = 0;
  std::string logits_dtype = "f32";
  std::int64_t vocab_parts = 1;

  void token_loss_fields(auto& f) {
    compute_fields(f);
    f.optional("label_smoothing", label_smoothing, config::kBelowOne,
               "Probability mass spread evenly over all tokens.");
    f.optional("z_loss", z_loss, config::kNotNegative, "Weight of the squared log normalizer.");
    f.optional("logits_dtype", logits_dtype, config::one_of({"f32", "bf16"}),
               "Dtype of the logits, and of the products that compute their operands' gradients, "
               "where logits are stored: not on CPUs, whose kernel computes them in parts.");
    f.optional("vocab_parts", vocab_parts, config::kPositive,
               "Number of parts of the vocabulary that the loss goes through, one after the other, "
               "where logits are stored and the vocabulary is not sharded. More parts need less "
               "memory; with more than one, the logits are computed twice.");
  }
};

/// Returns the loss and accuracy of a batch of tokens, together with the outputs in the model's
/// context.
train::TaskLoss token_loss(const kernels::Projection& projection,
                           const graph::Value& targets,
                           const graph::Value& weights,
                           const TokenLossConfig& config,
                           const nn::Outputs& outputs);

/// Returns the metric "exact_match": the fraction of rows in which every counted token equals the
/// expected token.
train::EvalOutput exact_match_of(const train::TaskInput& input,
                                 const graph::Value& given,
                                 const graph::Value& wanted,
                                 const graph::Value& counts);

}  // namespace meshwright::tasks
