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
  /// What queries are multiplied with; absent: 1 / sqrt(dim).
  std::optional<double> scale = {};
  /// Of the probabilities.
  double dropout = 0;
  /// RMS norms of queries and keys.
  bool normalize_heads = false;
  /// Axes: of x and the result, of what keys and values come from, and of heads. Attention with as
  /// many keys as queries has an axis q of size 1.
  std::string embed = "embed", memory = "embed", kv = "kv", q = "q", dim = "dim";
  /// Absent: variance 1 / inputs.
  Init init_q = {}, init_kv = {}, init_o = {};
};

/// The keys and values of earlier positions, batch src kv dim.
struct KeyValues {
  Value k, v;
};

/// What a call of attention looks at.
struct AttentionInputs {
  /// Where keys and values come from, batch src embed; empty: x itself.
  Value memory = {};
  /// Who may look at whom, [len, src] or [batch, len, src]; empty: everyone at everyone.
  Value mask = {};
  /// Added to the logits, broadcast to batch kv q len src.
  Value bias = {};
  /// Of queries and keys of x; empty: none.
  Rope rope = {};
  /// Keys and values are put here from position `at` on, and all that is here is looked at. Without
  /// `at` nothing is put here: it has those of the memory already (Attention::keys_values).
  KeyValues* cache = nullptr;
  Value at = {};
};

/// Queries look at keys: multi-head, grouped-query, and cross-attention.
class Attention : public Module {
 public:
  Attention(Module* parent, std::string name, const AttentionOptions& options = {});

  Value operator()(Ctx& p, Value x, const AttentionInputs& inputs = {}) const;
  /// What queries look at when they look at `memory`, batch src memory.
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
