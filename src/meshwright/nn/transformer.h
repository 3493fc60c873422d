// SPDX-License-Identifier: Apache-2.0
// Transformer layers for decoder LMs, encoders, vision transformers and decoders with
// cross-attention.
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
  /// Cross-attention, between the self-attention and the MLP.
  std::optional<AttentionOptions> cross_attention = {};
  MlpOptions mlp = {};
  /// Dropout rate of each residual branch.
  double dropout = 0;
};

/// Inputs of the attention blocks of a layer.
struct TransformerInputs {
  AttentionInputs self = {};
  AttentionInputs cross = {};
};

/// A pre-norm layer: self-attention, cross-attention if present, and an MLP, each computing x +
/// f(norm(x)).
class TransformerLayer : public Module {
 public:
  TransformerLayer(Module* parent, std::string name, const TransformerOptions& options);

  /// x: batch len embed.
  Value operator()(Ctx& p, Value x, const TransformerInputs& inputs) const;

  /// Throws invalid_argument if the layer has no cross-attention.
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

/// A stack of layers followed by a norm.
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
