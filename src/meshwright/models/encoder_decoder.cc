// SPDX-License-Identifier: Apache-2.0
// Axes: batch, len (decoder), src (encoder), embed, kv (heads), q (1), dim (head), mlp.
#include "meshwright/models/encoder_decoder.h"

#include <cmath>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/constrain.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/placement/kernel_decision.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/nn/linear.h"
#include "meshwright/nn/mask.h"

namespace meshwright::models {

using graph::constrain;

namespace {

nn::AxisSizes sizes(const EncoderDecoderConfig& c) {
  return {{"vocab", c.vocab}, {"embed", c.embed}, {"kv", c.heads},
          {"q", 1},           {"dim", c.dim},     {"mlp", c.mlp}};
}

nn::AttentionOptions attention_options(const EncoderDecoderConfig& c) {
  auto embed = static_cast<double>(c.embed), dim = static_cast<double>(c.dim);
  nn::Init in = nn::normal(1 / std::sqrt(embed));
  // The initial values of the queries include the scale of the logits.
  return {.scale = 1.0,
          .dropout = c.dropout,
          .init_q = nn::normal(1 / std::sqrt(embed * dim)),
          .init_kv = in,
          .init_o = nn::normal(1 / std::sqrt(static_cast<double>(c.heads) * dim))};
}

nn::TransformerOptions layer_options(const EncoderDecoderConfig& c, bool is_decoder) {
  nn::TransformerOptions o{.attention = attention_options(c), .dropout = c.dropout};
  if (is_decoder) o.cross_attention = attention_options(c);
  o.mlp = {.activation = c.activation,
           .gated = c.gated_mlp,
           .dropout = c.dropout,
           .init_up = nn::normal(1 / std::sqrt(static_cast<double>(c.embed))),
           .init_down = nn::normal(1 / std::sqrt(static_cast<double>(c.mlp)))};
  return o;
}

// CPU kernels read the bias of all queries and keys. It is computed once for all layers.
void add_bias(Ctx& p, const nn::RelativeBias& bias, std::int64_t len, nn::AttentionInputs& inputs) {
  if (graph::obstacle_of_cpu_kernels(graph::Tracer::current().target()).empty()) {
    Value order = nn::positions(len);
    inputs.bias = bias(p, order, order);
  } else {
    inputs.distance_bias = bias.by_distance(p, len, len);
  }
}

nn::RelativeBiasOptions bias_options(const EncoderDecoderConfig& c, bool is_bidirectional) {
  return {.is_bidirectional = is_bidirectional,
          .num_buckets = c.num_buckets,
          .max_distance = c.max_distance};
}

}  // namespace

EncoderDecoderConfig EncoderDecoderConfig::t5_1_1_small() {
  EncoderDecoderConfig c;
  c.heads = 6;
  c.mlp = 1024;
  c.encoder_layers = c.decoder_layers = 8;
  c.activation = nn::Activation::gelu_tanh;
  c.gated_mlp = true;
  c.tied_embedding = false;
  return c;
}

EncoderDecoder::EncoderDecoder(EncoderDecoderConfig config)
    : Module(sizes(config)),
      config_(std::move(config)),
      embedding_(this, "embedding", "vocab", "embed", nn::normal(1.0)),
      encoder_bias_(this, "encoder_bias", bias_options(config_, true)),
      decoder_bias_(this, "decoder_bias", bias_options(config_, false)),
      dropout_(this, "dropout", config_.dropout),
      encoder_(this,
               "encoder",
               config_.encoder_layers,
               layer_options(config_, false),
               {.form = config_.stack, .remat = config_.remat}),
      decoder_(this,
               "decoder",
               config_.decoder_layers,
               layer_options(config_, true),
               {.form = config_.stack, .remat = config_.remat}) {
  set_param_dtype(config_.param_dtype);
  if (!config_.tied_embedding) unembed_ = param("unembed", "embed vocab", nn::fan_in("embed"));
}

Value EncoderDecoder::embedded(Ctx& p, Value ids) const {
  MW_CHECK(ids.rank() == 2 && is_integer(ids.dtype()),
           "encoder_decoder: ids must be integers [batch, len], got ", ids);
  return dropout_(p, embedding_(p, ids), {1});
}

kernels::Projection EncoderDecoder::projection_of(Ctx& p, Value x) const {
  if (!unembed_.is_null()) return {.x = x, .table = p.wide(unembed_)};
  return embedding_.projection(p, x * (1 / std::sqrt(static_cast<double>(config_.embed))));
}

Value EncoderDecoder::encoded(Ctx& p, Value ids, Value is_valid) const {
  nn::Scope scope(*this);
  nn::AttentionInputs self;
  add_bias(p, encoder_bias_, ids.dim(1), self);
  if (!is_valid.is_null()) self.mask = nn::padding_mask(is_valid);
  return encoder_(p, constrain(embedded(p, ids), "batch src embed"), {.self = self});
}

Value EncoderDecoder::logits(Ctx& p, Value ids, Value memory, Value memory_is_valid) const {
  nn::Scope scope(*this);
  return kernels::logits(projection(p, ids, memory, memory_is_valid));
}

kernels::Projection EncoderDecoder::projection(Ctx& p,
                                               Value ids,
                                               Value memory,
                                               Value memory_is_valid) const {
  nn::Scope scope(*this);
  nn::AttentionInputs self{.causal = true};
  add_bias(p, decoder_bias_, ids.dim(1), self);
  nn::AttentionInputs cross{.memory = memory};
  if (!memory_is_valid.is_null()) cross.mask = nn::padding_mask(memory_is_valid);
  Value x = constrain(embedded(p, ids), "batch len embed");
  return projection_of(p, decoder_(p, x, {.self = self, .cross = cross}));
}

DecodeModel EncoderDecoder::decode_model(Ctx& p,
                                         Value memory,
                                         Value memory_is_valid,
                                         std::int64_t len) const {
  const auto& layers = decoder_.layers();
  auto project = [&](std::span<const Value>, std::span<const Value>) {
    nn::KeyValues seen = layers.layer().cross_attention().keys_values(p, memory);
    return graph::ScanStep{{}, {seen.k, seen.v}};
  };
  std::vector<Value> of_memory = layers.run(p, {}, {}, project).ys;
  auto step = [this, &p, memory_is_valid](Value ids, Value at, std::vector<Value>& cache) {
    nn::Scope scope(*this);
    Value now = nn::positions(ids.dim(1)) + at, all = nn::positions(cache[0].dim(2));
    nn::TransformerInputs shared{
        .self = {.mask = nn::causal_mask(now, all), .bias = decoder_bias_(p, now, all), .at = at}};
    if (!memory_is_valid.is_null()) shared.cross.mask = nn::padding_mask(memory_is_valid);
    auto body = [&](std::span<const Value> carry, std::span<const Value> xs) {
      nn::KeyValues own{xs[0], xs[1]}, seen{xs[2], xs[3]};
      nn::TransformerInputs inputs = shared;
      inputs.self.cache = &own;
      inputs.cross.cache = &seen;
      Value x = decoder_.layers().layer()(p, carry[0], inputs);
      return graph::ScanStep{{x}, {own.k, own.v}};
    };
    Value x = embedded(p, ids);
    graph::ScanResult result = decoder_.layers().run(p, std::span(&x, 1), cache, body);
    std::copy(result.ys.begin(), result.ys.end(), cache.begin());
    return kernels::logits(projection_of(p, decoder_.final_norm()(p, result.carry[0])));
  };
  Value room = graph::constant(
      0, p.dtype(), {config_.decoder_layers, memory.dim(0), len, config_.heads, config_.dim});
  return {step, {room, room, of_memory[0], of_memory[1]}};
}

}  // namespace meshwright::models
