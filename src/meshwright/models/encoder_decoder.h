// SPDX-License-Identifier: Apache-2.0
// Encoder-decoder models with the architecture of T5.
#pragma once

#include <cstdint>
#include <optional>

#include "meshwright/models/decoding.h"
#include "meshwright/nn/embedding.h"
#include "meshwright/nn/transformer.h"

namespace meshwright::models {

using graph::Value;
using nn::Ctx;

struct EncoderDecoderConfig {
  std::int64_t vocab = 32128, embed = 512, heads = 8, dim = 64, mlp = 2048;
  std::int64_t encoder_layers = 6, decoder_layers = 6;
  nn::Activation activation = nn::Activation::relu;
  bool gated_mlp = false;
  /// Reuses the embedding table for the output layer, applied to x / sqrt(embed).
  bool tied_embedding = true;
  int num_buckets = 32, max_distance = 128;  // for relative positions
  double dropout = 0;
  nn::StackForm stack = nn::StackForm::scanned;
  std::optional<graph::SavePolicy> remat = {};
  DType param_dtype = DType::f32;

  static EncoderDecoderConfig t5_small() { return {}; }
  /// Gated GELU and a separate output layer.
  static EncoderDecoderConfig t5_1_1_small();
};

class EncoderDecoder : public nn::Module {
 public:
  explicit EncoderDecoder(EncoderDecoderConfig config);

  const EncoderDecoderConfig& config() const { return config_; }

  /// Returns the encoding (batch src embed) of ids (s32 batch src). `is_valid` (pred batch src) is
  /// false for padding; if empty, there is no padding.
  Value encoded(Ctx& p, Value ids, Value is_valid = {}) const;
  /// Returns the logits (batch len vocab) of the token after each of ids (s32 batch len), in f32
  /// (f64 for f64).
  Value logits(Ctx& p, Value ids, Value memory, Value memory_is_valid = {}) const;
  /// Returns the logits as an unevaluated product, for losses that do not need all logits at once.
  kernels::Projection projection(Ctx& p, Value ids, Value memory, Value memory_is_valid = {}) const;

  /// Returns a model for sample() and beam_search() that decodes from the rows of `memory`. All
  /// arguments must outlive it.
  DecodeModel decode_model(Ctx& p, Value memory, Value memory_is_valid, std::int64_t len) const;

 private:
  Value embedded(Ctx& p, Value ids) const;
  kernels::Projection projection_of(Ctx& p, Value x) const;

  EncoderDecoderConfig config_;
  nn::Embedding embedding_;
  nn::RelativeBias encoder_bias_, decoder_bias_;
  nn::Dropout dropout_;
  nn::Transformer encoder_, decoder_;
  nn::Param unembed_;
};

}  // namespace meshwright::models
