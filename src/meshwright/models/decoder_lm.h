// SPDX-License-Identifier: Apache-2.0
// Decoder-only language models in the styles of Llama, seqax, GPT-2 and Fuji.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/models/decoding.h"
#include "meshwright/nn/embedding.h"
#include "meshwright/nn/stack.h"
#include "meshwright/nn/transformer.h"

namespace meshwright::models {

using graph::Value;
using nn::Ctx;

enum class PositionKind { none, rope, learned, sincos };

/// Initialisation of the weights.
enum class InitStyle {
  fan_in,  // variance 1 / inputs; the embedding has variance 1
  seqax,   // fan_in with different rounding; smaller queries replace the scaling of logits
  gpt2,    // standard deviation 0.02, smaller for the last weight of each branch
  fuji,    // fan_in; variance 1 / embed for the embedding and 1 / vocab for the output
};

struct DecoderLmConfig {
  std::int64_t vocab = 256, layers = 2, embed = 128, kv = 4, q = 1, dim = 32, mlp = 512;
  PositionKind position = PositionKind::rope;
  std::int64_t window = 0;  // number of tokens each one sees, itself included; 0: all before it
  double rope_max_timescale = 10000;
  nn::RopePairs rope_pairs = nn::RopePairs::halves;
  std::int64_t max_len = 1024;  // number of learned positions
  nn::NormOptions norm = {};
  nn::Activation activation = nn::Activation::silu;
  bool gated_mlp = true;
  bool bias = false;
  bool normalize_heads = false;
  /// Reuses the embedding table for the output layer.
  bool tied_embedding = false;
  double dropout = 0;
  InitStyle init = InitStyle::fan_in;
  nn::StackForm stack = nn::StackForm::scanned;
  std::optional<graph::SavePolicy> remat = {};
  DType param_dtype = DType::f32;

  /// Pre-norm with RMS norms, rotary positions, grouped-query attention, SwiGLU and no biases.
  static DecoderLmConfig llama();
  /// Layer norms, learned positions, GELU, biases, and a tied embedding; 124M parameters.
  static DecoderLmConfig gpt2();
  /// Like llama(), with the initialisation and the logit scale of seqax.
  static DecoderLmConfig seqax();
  /// Like llama(), with the rotary pairs, epsilon and initialisation of AXLearn's Fuji.
  static DecoderLmConfig fuji();
};

/// A batch of token sequences. All arrays are s32.
struct LmInputs {
  Value ids;              // batch len
  Value segments = {};    // batch len: tokens attend only within their segment; if empty, one
  Value positions = {};   // [len] or [batch, len]; if empty, 0, 1, 2, ...
  Value prefix_len = {};  // [batch]: length of the prefix that all tokens see; if empty, none
};

/// Keys and values of all layers, each [layers, batch, len, kv, dim].
struct LmCache {
  Value k, v;
};

class DecoderLm : public nn::Module {
 public:
  explicit DecoderLm(DecoderLmConfig config);

  const DecoderLmConfig& config() const { return config_; }

  /// Returns the logits, with axes batch, len, vocab, in f32 (in f64 if the model computes in f64).
  Value logits(Ctx& p, const LmInputs& inputs) const;
  /// Returns the logits as an unevaluated product, for losses that do not need all logits at once.
  kernels::Projection projection(Ctx& p, const LmInputs& inputs) const;

  /// Returns a cache for the keys and values of `len` positions.
  LmCache empty_cache(DType dtype, std::int64_t batch, std::int64_t len) const;
  /// Returns the logits for ids (batch len) at positions starting at `at` (a scalar s32). Reads
  /// earlier positions from the cache and adds the new ones.
  Value logits_with_cache(Ctx& p, Value ids, Value at, LmCache& cache) const;
  /// Returns a model for sample() and beam_search() with a cache of this size. The context and this
  /// object must outlive the returned model.
  DecodeModel decode_model(Ctx& p, std::int64_t rows, std::int64_t len) const;

 private:
  Value embedded(Ctx& p, Value ids, Value positions) const;
  kernels::Projection projection_of(Ctx& p, Value x) const;
  nn::Rope rope(Value positions) const;

  DecoderLmConfig config_;
  nn::Embedding embedding_;
  std::optional<nn::Embedding> position_;
  nn::Stack<nn::TransformerLayer> layers_;
  nn::Norm final_norm_;
  nn::Param unembed_;
};

}  // namespace meshwright::models
