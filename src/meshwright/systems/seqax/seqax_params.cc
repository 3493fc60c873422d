// SPDX-License-Identifier: Apache-2.0
#include "meshwright/systems/seqax/seqax_params.h"

namespace meshwright::systems {
namespace {

using models::DecoderLmConfig;
using models::InitStyle;
using models::PositionKind;

bool computes_as_seqax(const DecoderLmConfig& c) {
  const nn::NormOptions norm;
  return c.init == InitStyle::seqax &&  // it scales logits differently
         c.position == PositionKind::rope && c.rope_pairs == nn::RopePairs::halves &&
         c.norm.kind == norm.kind && c.norm.epsilon == norm.epsilon && !c.norm.bias &&
         c.activation == nn::Activation::silu && c.gated_mlp && !c.bias && !c.normalize_heads &&
         !c.tied_embedding && c.dropout == 0;
}

}  // namespace

ForeignArrays seqax_params(const DecoderLmConfig& config) {
  if (!computes_as_seqax(config)) return {};
  // Native dimensions: layers embed kv q dim, layers kv q dim embed, layers mlp embed.
  constexpr std::size_t kKeysOrValues = 1;
  return {
      {"embedding/table", {.path = "embed"}},
      {"unembed", {.path = "unembed", .order = {1, 0}}},
      {"final_norm/scale", {.path = "final_layer_norm"}},
      {"layers/norm_attention/scale", {.path = "transformer/ln1"}},
      {"layers/norm_mlp/scale", {.path = "transformer/ln2"}},
      {"layers/attention/w_q", {.path = "transformer/w_q", .order = {0, 1, 3, 2, 4}}},
      {"layers/attention/w_k",
       {.path = "transformer/w_kv", .slice = {{.dim = kKeysOrValues, .index = 0, .count = 2}}}},
      {"layers/attention/w_v",
       {.path = "transformer/w_kv", .slice = {{.dim = kKeysOrValues, .index = 1, .count = 2}}}},
      {"layers/attention/w_o", {.path = "transformer/w_o", .order = {0, 4, 2, 1, 3}}},
      {"layers/mlp/w_gate", {.path = "transformer/w_gate"}},
      {"layers/mlp/w_up", {.path = "transformer/w_up"}},
      {"layers/mlp/w_down", {.path = "transformer/w_down", .order = {0, 2, 1}}},
  };
}

}  // namespace meshwright::systems
