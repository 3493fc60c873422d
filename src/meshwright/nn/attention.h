// SPDX-License-Identifier: Apache-2.0
// Axes: batch, len (queries), src (keys), embed, kv (key heads), q (queries per key head), dim.
#pragma once

#include <optional>
#include <string>

#include "meshwright/kernels/linear/linear.h"
#include "meshwright/nn/context.h"
#include "meshwright/nn/dropout.h"
#include "meshwright/nn/norm.h"
#include "meshwright/nn/positions.h"

namespace meshwright::nn {

struct AttentionOptions {
  bool bias = false;
  /// Scale of the queries. Defaults to 1 / sqrt(dim).
  std::optional<double> scale = {};
  /// Dropout rate of the attention probabilities.
  double dropout = 0;
  /// Applies RMS norms to queries and keys.
  bool normalize_heads = false;
  /// Axis names: `embed` for x and the result, `memory` for the source of keys and values, and
  /// `kv`, `q` and `dim` for the heads. With one query head per key head, q has size 1.
  std::string embed = "embed", memory = "embed", kv = "kv", q = "q", dim = "dim";
  /// Initialisers of the weights. They default to variance 1 / inputs.
  Init init_q = {}, init_kv = {}, init_o = {};
};

/// Keys and values of earlier positions (batch src kv dim).
struct KeyValues {
  Value k, v;
};

/// Inputs of attention other than x.
struct AttentionInputs {
  /// Source of keys and values, batch src embed. Defaults to x itself.
  Value memory = {};
  /// True where a query may attend to a key, [len, src] or [batch, len, src]. If empty, every
  /// query may attend to every key.
  Value mask = {};
  /// Documents of x, s32 [batch, len]: a query attends only to keys of its own. Empty: one.
  Value segments = {};
  /// Documents of the memory, s32 [batch, src]. Empty: those of x.
  Value memory_segments = {};
  /// Lengths of the memory without padding, s32 [batch], or of x if there is no memory. Empty:
  /// there is no padding.
  Value key_lengths = {};
  /// Query i attends to keys 0 .. i only. Not for a cache, whose keys start before the queries.
  bool causal = false;
  /// Unless 0, query i attends only to this many keys up to key i. Needs `causal`.
  std::int64_t window = 0;
  /// Lengths of prefixes, s32 [batch]: despite `causal`, all queries of a row attend to the keys
  /// before this position.
  Value prefix = {};
  /// Added to the logits, broadcast to batch kv q len src.
  Value bias = {};
  /// In place of `bias`, a bias by distance: kernels::AttentionOptions::distance_bias.
  Value distance_bias = {};
  /// Rotates the queries and keys computed from x. If empty, they are not rotated.
  Rope rope = {};
  /// Cache to attend to. With `at`, first writes the new keys and values to the cache at position
  /// `at`. Without `at`, the cache must already hold the keys and values of the memory; see
  /// Attention::keys_values().
  KeyValues* cache = nullptr;
  Value at = {};
};

/// Multi-head, grouped-query and cross-attention.
class Attention : public Module {
 public:
  Attention(Module* parent, std::string name, const AttentionOptions& options = {});

  Value operator()(Ctx& p, Value x, const AttentionInputs& inputs = {}) const;
  /// Returns the keys and values for attending to `memory` (batch src memory).
  KeyValues keys_values(Ctx& p, Value memory) const;

 private:
  Value projection(
      Ctx& p, kernels::LinearAxes axes, Value x, const Param& weight, const Param& bias) const;
  KeyValues projected(Ctx& p, Value memory) const;
  KeyValues looked_at(Ctx& p, Value x, const AttentionInputs& inputs) const;
  Value mixed_values(Ctx& p, Value q, const KeyValues& seen, const AttentionInputs& inputs) const;

  std::optional<double> scale_;
  Dropout dropout_;
  Param w_q_, w_k_, w_v_, w_o_, b_q_, b_k_, b_v_, b_o_;
  std::optional<Norm> norm_q_, norm_k_;
};

}  // namespace meshwright::nn
