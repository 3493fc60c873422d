// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/attention.h"

#include <cmath>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/constrain.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/functions.h"
#include "meshwright/graph/ops/gradient.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/graph/sharding/module_output.h"
#include "meshwright/kernels/attention/attention.h"

namespace meshwright::nn {

using graph::constrain;

Attention::Attention(Module* parent, std::string name, const AttentionOptions& o)
    : Module(parent, std::move(name)), scale_(o.scale), dropout_(this, "dropout", o.dropout) {
  std::string q = o.kv + " " + o.q + " " + o.dim, kv = o.kv + " " + o.dim;
  auto axes = [](const std::string& text) { return AxisSpec::parse(text); };
  Init from_memory = o.init_kv ? o.init_kv : fan_in(o.memory);
  std::string q_axes = o.embed + " " + q, kv_axes = o.memory + " " + kv, o_axes = q + " " + o.embed;
  auto inputs = [](const std::string& in) { return ParamOptions{.fan_axes = {.in = in}}; };
  w_q_ = param("w_q", axes(q_axes), o.init_q ? o.init_q : fan_in(o.embed), inputs(o.embed));
  w_k_ = param("w_k", axes(kv_axes), from_memory, inputs(o.memory));
  w_v_ = param("w_v", axes(kv_axes), from_memory, inputs(o.memory));
  w_o_ = param("w_o", axes(o_axes), o.init_o ? o.init_o : fan_in(q), inputs(q));
  if (o.bias) {
    b_q_ = param("b_q", axes(q), zeros());
    b_k_ = param("b_k", axes(kv), zeros());
    b_v_ = param("b_v", axes(kv), zeros());
    b_o_ = param("b_o", axes(o.embed), zeros());
  }
  if (o.normalize_heads) {
    norm_q_.emplace(this, "norm_q", o.dim);
    norm_k_.emplace(this, "norm_k", o.dim);
  }
}

Value Attention::mixed_values(Ctx& p,
                              Value q,
                              const KeyValues& seen,
                              const AttentionInputs& inputs) const {
  kernels::AttentionOptions options{.mask = inputs.mask,
                                    .bias = inputs.bias,
                                    .segments = inputs.segments,
                                    .key_segments = inputs.memory_segments,
                                    .causal = inputs.causal,
                                    .window = inputs.window,
                                    .key_lengths = inputs.key_lengths,
                                    .prefix = inputs.prefix,
                                    .distance_bias = inputs.distance_bias};
  if (dropout_.is_active(p)) options.dropout = dropout_.drawing(p);
  return kernels::attention(q, seen.k, seen.v, options);
}

Value Attention::projection(
    Ctx& p, kernels::LinearAxes axes, Value x, const Param& weight, const Param& bias) const {
  return kernels::linear(std::move(axes), x, p[weight],
                         {.bias = bias.is_null() ? Value() : p[bias]});
}

KeyValues Attention::projected(Ctx& p, Value memory) const {
  const kernels::LinearAxes axes{"batch src", "memory", "kv dim"};
  Value k = projection(p, axes, memory, w_k_, b_k_);
  Value v = projection(p, axes, memory, w_v_, b_v_);
  k = graph::save(constrain(k, "batch src kv dim"), "k");
  v = graph::save(constrain(v, "batch src kv dim"), "v");
  return {norm_k_ ? (*norm_k_)(p, k) : k, v};
}

KeyValues Attention::keys_values(Ctx& p, Value memory) const {
  Scope scope(*this);
  return projected(p, memory);
}

KeyValues Attention::looked_at(Ctx& p, Value x, const AttentionInputs& inputs) const {
  graph::AxisScope own_src;  // a cache is longer than the keys written to it
  if (inputs.cache != nullptr && inputs.at.is_null()) return *inputs.cache;
  KeyValues now = projected(p, inputs.memory.is_null() ? x : inputs.memory);
  if (!inputs.rope.is_null()) now.k = inputs.rope(now.k);
  if (inputs.cache == nullptr) return now;
  KeyValues& cache = *inputs.cache;
  cache.k = dynamic_update_slice_in_dim(cache.k, cast(now.k, cache.k.dtype()), 1, inputs.at);
  cache.v = dynamic_update_slice_in_dim(cache.v, cast(now.v, cache.v.dtype()), 1, inputs.at);
  return cache;
}

Value Attention::operator()(Ctx& p, Value x, const AttentionInputs& inputs) const {
  Scope scope(*this);
  Value q = projection(p, {"batch len", "embed", "kv q dim"}, x, w_q_, b_q_);
  q = graph::save(constrain(q, "batch len kv q dim"), "q");
  if (norm_q_) q = (*norm_q_)(p, q);
  if (!inputs.rope.is_null()) q = inputs.rope(q);
  q = q * scale_.value_or(1 / std::sqrt(static_cast<double>(q.dim(-1))));
  auto [k, v] = looked_at(p, x, inputs);
  Value mixed = mixed_values(p, q, {cast(k, q.dtype()), cast(v, q.dtype())}, inputs);
  mixed = graph::save(constrain(mixed, "batch len kv q dim"), "mixed");
  return graph::module_output(projection(p, {"batch len", "kv q dim", "embed"}, mixed, w_o_, b_o_));
}

}  // namespace meshwright::nn
