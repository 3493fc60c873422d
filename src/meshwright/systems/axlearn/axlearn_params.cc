// SPDX-License-Identifier: Apache-2.0
#include "meshwright/systems/axlearn/axlearn_params.h"

#include <string>

#include "meshwright/base/str.h"

namespace meshwright::systems {
namespace {

using models::DecoderLmConfig;
using models::InitStyle;
using models::PositionKind;

bool computes_as_fuji(const DecoderLmConfig& c) {
  const nn::NormOptions norm = DecoderLmConfig::fuji().norm;
  return c.init != InitStyle::seqax &&  // it scales logits differently
         c.position == PositionKind::rope && c.rope_pairs == nn::RopePairs::neighbours &&
         c.norm.kind == norm.kind && c.norm.epsilon == norm.epsilon && !c.norm.bias &&
         c.activation == nn::Activation::silu && c.gated_mlp && !c.bias && !c.normalize_heads &&
         c.dropout == 0;
}

// Native dimensions are layers embed kv q dim. AXLearn merges kv and q into one head dimension.
// With one query head per key head, queries, keys and values are slices of one array; otherwise
// they are adjacent ranges of heads.
void add_attention(const DecoderLmConfig& c, const std::string& attention, ForeignArrays& out) {
  const std::string qkv = attention + "i_proj/i_proj/qkv_proj/weight";
  const std::int64_t heads = c.kv * c.q;
  constexpr std::size_t kHeads = 2;
  ForeignArray q{.path = qkv}, k = q, v = q;
  if (c.q == 1) {
    constexpr std::size_t kInput = 1;
    q.span = {.dim = kHeads, .inner = {1}, .size = heads, .count = heads};
    q.slice = {.dim = kInput, .index = 0, .count = 3};
    k.slice = {.dim = kInput, .index = 1, .count = 3};
    v.slice = {.dim = kInput, .index = 2, .count = 3};
  } else {
    const std::int64_t all = heads + 2 * c.kv;
    q.span = {.dim = kHeads, .inner = {c.q}, .size = heads, .count = all};
    k.span = {.dim = kHeads, .start = heads, .size = c.kv, .count = all};
    v.span = {.dim = kHeads, .start = heads + c.kv, .size = c.kv, .count = all};
  }
  out["layers/attention/w_q"] = q;
  out["layers/attention/w_k"] = k;
  out["layers/attention/w_v"] = v;
  out["layers/attention/w_o"] = {
      // native: layers kv q dim embed
      .path = attention + "o_proj/weight",
      .order = {0, 4, 1, 2, 3},
      .span = {{.dim = kHeads, .inner = {c.q}, .size = heads, .count = heads}}};
}

}  // namespace

ForeignArrays axlearn_params(const DecoderLmConfig& c) {
  if (!computes_as_fuji(c)) return {};
  const std::string layer = "decoder/transformer/repeat/layer/";
  const std::string mlp = layer + "feed_forward/";
  ForeignArrays out = {
      {"embedding/table", {.path = "decoder/emb/token_emb/weight"}},
      {"final_norm/scale", {.path = "decoder/output_norm/scale"}},
      {"layers/norm_attention/scale", {.path = layer + "self_attention/norm/scale"}},
      {"layers/norm_mlp/scale", {.path = mlp + "norm/scale"}},
      {"layers/mlp/w_gate", {.path = mlp + "linear1_0/weight"}},
      {"layers/mlp/w_up", {.path = mlp + "linear1_1/weight"}},
      {"layers/mlp/w_down", {.path = mlp + "linear2/weight"}},
  };
  add_attention(c, layer + "self_attention/attention/", out);
  if (!c.tied_embedding) out["unembed"] = {.path = "decoder/lm_head/weight", .order = {1, 0}};
  return out;
}

}  // namespace meshwright::systems
