// SPDX-License-Identifier: Apache-2.0
// Pooling: reduces a sequence of vectors to one vector.
#pragma once

#include <string>

#include "meshwright/nn/attention.h"
#include "meshwright/nn/context.h"
#include "meshwright/nn/mlp.h"
#include "meshwright/nn/norm.h"

namespace meshwright::nn {

/// Returns the mean of x (batch len embed) over len. If `is_valid` (batch len) is given, averages
/// only the positions where it is true.
Value mean_pooled(Value x, Value is_valid = {});
/// Returns the first vector of each sequence.
Value first_pooled(Value x);

struct AttentionPoolOptions {
  AttentionOptions attention = {};
  NormOptions norm = {};
  MlpOptions mlp = {};
};

/// Attention with a learned query, followed by an MLP (the MAP head of Big Vision).
class AttentionPool : public Module {
 public:
  AttentionPool(Module* parent, std::string name, const AttentionPoolOptions& options);

  /// Maps x (batch len embed) to batch embed.
  Value operator()(Ctx& p, Value x) const;

 private:
  Param probe_;
  Attention attention_;
  Norm norm_;
  Mlp mlp_;
};

}  // namespace meshwright::nn
