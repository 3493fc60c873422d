// SPDX-License-Identifier: Apache-2.0
// The layer of decoder LMs, encoders, vision transformers and decoders that look at an encoder.
#pragma once

#include <optional>
#include <string>

#include "meshwright/nn/attention.h"
#include "meshwright/nn/context.h"
#include "meshwright/nn/mlp.h"
#include "meshwright/nn/norm.h"
#include "meshwright/nn/stack.h"

namespace meshwright::nn {

struct TransformerOptions {
  NormOptions norm = {};
  AttentionOptions attention = {};
  /// Attention to another sequence, between self-attention and MLP.
  std::optional<AttentionOptions> cross_attention = {};
  MlpOptions mlp = {};
  /// Of what each part adds.
  double dropout = 0;
};

/// What the parts of a layer look at.
struct TransformerInputs {
  AttentionInputs self = {};
  AttentionInputs cross = {};
};

/// x + attention(norm(x)), the same with cross-attention, and x + mlp(norm(x)).
class TransformerLayer : public Module {
 public:
  TransformerLayer(Module* parent, std::string name, const TransformerOptions& options);

  /// x: batch len embed.
  Value operator()(Ctx& p, Value x, const TransformerInputs& inputs) const;

  /// Throws invalid_argument if there is none.
  const Attention& cross_attention() const;

 private:
  Norm norm_attention_;
  Attention attention_;
  std::optional<Norm> norm_cross_;
  std::optional<Attention> cross_attention_;
  Norm norm_mlp_;
  Mlp mlp_;
  Dropout dropout_attention_, dropout_cross_, dropout_mlp_;
};

/// Layers one after the other and a norm of what they give.
class Transformer : public Module {
 public:
  Transformer(Module* parent,
              std::string name,
              std::int64_t num_layers,
              const TransformerOptions& options,
              StackOptions stack = {});

  Value operator()(Ctx& p, Value x, const TransformerInputs& inputs = {}) const;

  const Stack<TransformerLayer>& layers() const { return layers_; }
  const Norm& final_norm() const { return final_norm_; }

 private:
  Stack<TransformerLayer> layers_;
  Norm final_norm_;
};

}  // namespace meshwright::nn
