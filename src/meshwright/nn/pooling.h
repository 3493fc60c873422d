// SPDX-License-Identifier: Apache-2.0
// From a sequence of vectors to one.
#pragma once

#include <string>

#include "meshwright/nn/attention.h"
#include "meshwright/nn/context.h"
#include "meshwright/nn/mlp.h"
#include "meshwright/nn/norm.h"

namespace meshwright::nn {

/// The mean over len of x, batch len embed; of elements for which `is_valid`, batch len, holds.
Value mean_pooled(Value x, Value is_valid = {});
/// The first of each sequence.
Value first_pooled(Value x);

struct AttentionPoolOptions {
  AttentionOptions attention = {};
  NormOptions norm = {};
  MlpOptions mlp = {};
};

/// A learned query looks at the sequence; an MLP follows (the MAP head of Big Vision).
class AttentionPool : public Module {
 public:
  AttentionPool(Module* parent, std::string name, const AttentionPoolOptions& options);

  /// x: batch len embed; gives batch embed.
  Value operator()(Ctx& p, Value x) const;

 private:
  Param probe_;
  Attention attention_;
  Norm norm_;
  Mlp mlp_;
};

}  // namespace meshwright::nn
