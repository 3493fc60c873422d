// SPDX-License-Identifier: Apache-2.0
// Axes: batch, len, src (keys), embed, kv (key heads), q (queries per kv head), dim (head), mlp.
#include "meshwright/models/decoder_lm.h"

#include <cmath>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/constrain.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/nn/linear.h"
#include "meshwright/nn/mask.h"

namespace meshwright::models {

using graph::constrain;

namespace {

// The standard deviation of a normal distribution truncated to [-2, 2].
constexpr double kTruncatedStddev = .87962566103423978;

graph::AxisSizes sizes(const DecoderLmConfig& c) {
  return {{"vocab", c.vocab}, {"layers", c.layers}, {"embed", c.embed}, {"kv", c.kv},
          {"q", c.q},         {"dim", c.dim},       {"mlp", c.mlp},     {"positions", c.max_len}};
}

nn::Init seqax_init(double fan) {
  return nn::truncated_normal(1 / (std::sqrt(fan) * kTruncatedStddev));
}

struct WeightInits {
  nn::Init embed, position, q, kv, o, up, down, unembed;
};

WeightInits weight_inits(const DecoderLmConfig& c) {
  auto embed = static_cast<double>(c.embed), dim = static_cast<double>(c.dim);
  auto heads = static_cast<double>(c.q * c.kv * c.dim), mlp = static_cast<double>(c.mlp);
  switch (c.init) {
    case InitStyle::fan_in:
      return {.embed = nn::normal(1.0), .position = nn::normal(0.02)};
    case InitStyle::seqax: {
      nn::Init in = seqax_init(embed);
      return {nn::normal(1.0),         nn::normal(0.02),
              seqax_init(embed * dim), in,
              seqax_init(heads),       in,
              seqax_init(mlp),         in};
    }
    case InitStyle::gpt2: {
      nn::Init any = nn::normal(0.02);
      nn::Init last = nn::normal(0.02 / std::sqrt(2 * static_cast<double>(c.layers)));
      return {any, nn::normal(0.01), any, any, last, any, last, any};
    }
    case InitStyle::fuji:
      return {.embed = nn::normal(1 / std::sqrt(embed)),
              .position = nn::normal(0.02),
              .unembed = nn::normal(1 / std::sqrt(static_cast<double>(c.vocab)))};
  }
  return {};
}

nn::TransformerOptions layer_options(const DecoderLmConfig& c) {
  WeightInits init = weight_inits(c);
  nn::TransformerOptions o{.norm = c.norm, .dropout = c.dropout};
  o.attention = {.bias = c.bias,
                 .dropout = c.dropout,
                 .normalize_heads = c.normalize_heads,
                 .init_q = init.q,
                 .init_kv = init.kv,
                 .init_o = init.o};
  if (c.init == InitStyle::seqax) o.attention.scale = 1.0;
  o.mlp = {.activation = c.activation,
           .gated = c.gated_mlp,
           .bias = c.bias,
           .init_up = init.up,
           .init_down = init.down};
  return o;
}

}  // namespace

DecoderLmConfig DecoderLmConfig::llama() {
  return {};
}

DecoderLmConfig DecoderLmConfig::seqax() {
  DecoderLmConfig c;
  c.init = InitStyle::seqax;
  return c;
}

DecoderLmConfig DecoderLmConfig::fuji() {
  DecoderLmConfig c;
  c.rope_pairs = nn::RopePairs::neighbours;
  c.norm.epsilon = 1e-5;
  c.init = InitStyle::fuji;
  return c;
}

DecoderLmConfig DecoderLmConfig::gpt2() {
  DecoderLmConfig c;
  c.vocab = 50257;
  c.layers = 12;
  c.embed = 768;
  c.kv = 12;
  c.q = 1;
  c.dim = 64;
  c.mlp = 3072;
  c.position = PositionKind::learned;
  c.max_len = 1024;
  c.norm = {.kind = nn::NormKind::layer, .epsilon = 1e-5, .bias = true};
  c.activation = nn::Activation::gelu_tanh;
  c.gated_mlp = false;
  c.bias = true;
  c.tied_embedding = true;
  c.init = InitStyle::gpt2;
  return c;
}

DecoderLm::DecoderLm(DecoderLmConfig config)
    : Module(sizes(config)),
      config_(std::move(config)),
      embedding_(this, "embedding", "vocab", "embed", weight_inits(config_).embed),
      layers_(
          this, "layers", {.form = config_.stack, .remat = config_.remat}, layer_options(config_)),
      final_norm_(this, "final_norm", "embed", config_.norm) {
  set_param_dtype(config_.param_dtype);
  if (config_.position == PositionKind::learned) {
    position_.emplace(this, "position", "positions", "embed", weight_inits(config_).position);
  }
  if (config_.tied_embedding) return;
  nn::Init init = weight_inits(config_).unembed;
  unembed_ = param("unembed", "embed vocab", init ? init : nn::fan_in("embed"),
                   {.fan_axes = {.in = "embed"}});
}

Value DecoderLm::embedded(Ctx& p, Value ids, Value positions) const {
  Value x = embedding_(p, ids);
  if (position_) x = x + (*position_)(p, positions);
  if (config_.position == PositionKind::sincos) {
    x = x + cast(nn::sincos(positions, config_.embed, config_.rope_max_timescale), x.dtype());
  }
  return constrain(x, "batch len embed");
}

nn::Rope DecoderLm::rope(Value positions) const {
  if (config_.position != PositionKind::rope) return {};
  return nn::Rope(positions, config_.dim,
                  {.max_timescale = config_.rope_max_timescale, .pairs = config_.rope_pairs});
}

kernels::Projection DecoderLm::projection_of(Ctx& p, Value x) const {
  x = final_norm_(p, x);
  if (config_.tied_embedding) return embedding_.projection(p, x);
  return {.x = x, .table = p.wide(unembed_)};
}

Value DecoderLm::logits(Ctx& p, const LmInputs& in) const {
  nn::Scope scope(*this);
  return kernels::logits(projection(p, in));
}

kernels::Projection DecoderLm::projection(Ctx& p, const LmInputs& in) const {
  nn::Scope scope(*this);
  MW_CHECK(in.ids.rank() == 2 && is_integer(in.ids.dtype()),
           "decoder_lm: ids must be integers [batch, len], got ", in.ids);
  Value order = nn::positions(in.ids.dim(1));
  Value positions = in.positions.is_null() ? order : in.positions;
  Value prefix = in.prefix_len.is_null() ? Value() : graph::cast(in.prefix_len, s32);
  nn::AttentionInputs self{.segments = in.segments,
                           .causal = true,
                           .window = config_.window,
                           .prefix = prefix,
                           .rope = rope(positions)};
  nn::TransformerInputs shared{.self = self};
  return projection_of(p, layers_(p, embedded(p, in.ids, positions), shared));
}

LmCache DecoderLm::empty_cache(DType dtype, std::int64_t batch, std::int64_t len) const {
  Dims dims = {config_.layers, batch, len, config_.kv, config_.dim};
  return {graph::constant(0, dtype, dims), graph::constant(0, dtype, dims)};
}

Value DecoderLm::logits_with_cache(Ctx& p, Value ids, Value at, LmCache& cache) const {
  nn::Scope scope(*this);
  Value positions = nn::positions(ids.dim(1)) + at;
  const Value cached = nn::positions(cache.k.dim(2));
  nn::AttentionInputs self{.mask = nn::causal_mask(positions, cached, config_.window),
                           .rope = rope(positions),
                           .at = at};
  auto body = [&](std::span<const Value> carry, std::span<const Value> xs) {
    nn::KeyValues own{xs[0], xs[1]};
    nn::TransformerInputs inputs{.self = self};
    inputs.self.cache = &own;
    Value x = layers_.layer()(p, carry[0], inputs);
    return graph::ScanStep{{x}, {own.k, own.v}};
  };
  Value x = embedded(p, ids, positions);
  graph::ScanResult result = layers_.run(p, std::span(&x, 1), std::vector{cache.k, cache.v}, body);
  cache = {result.ys[0], result.ys[1]};
  return kernels::logits(projection_of(p, result.carry[0]));
}

DecodeModel DecoderLm::decode_model(Ctx& p, std::int64_t rows, std::int64_t len) const {
  LmCache empty = empty_cache(p.dtype(), rows, len);
  auto step = [this, &p](Value ids, Value at, std::vector<Value>& cache) {
    LmCache both{cache[0], cache[1]};
    Value logits = logits_with_cache(p, ids, at, both);
    cache = {both.k, both.v};
    return logits;
  };
  return {step, {empty.k, empty.v}};
}

}  // namespace meshwright::models
