// SPDX-License-Identifier: Apache-2.0
// Axes: batch, len (patches), embed, kv (heads), q (1), dim (head), mlp, classes.
#include "meshwright/models/vit.h"

#include <cmath>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/constrain.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"

namespace meshwright::models {
namespace {

constexpr nn::NormOptions kNorm{.kind = nn::NormKind::layer, .epsilon = 1e-6, .bias = true};

nn::AxisSizes sizes(const VitConfig& c) {
  MW_CHECK(c.heads > 0 && c.embed % c.heads == 0, "vit: heads ", c.heads, " must divide embed ",
           c.embed);
  return {{"embed", c.embed}, {"kv", c.heads},
          {"q", 1},           {"dim", c.embed / c.heads},
          {"mlp", c.mlp},     {"classes", c.classes},
          {"one", 1},         {"patches", (c.height / c.patch) * (c.width / c.patch)}};
}

nn::AttentionOptions attention_options(const VitConfig& c) {
  return {.bias = true,
          .dropout = c.dropout,
          .init_q = nn::glorot_uniform({.in = "embed"}),
          .init_kv = nn::glorot_uniform({.in = "embed"}),
          .init_o = nn::glorot_uniform({.in = "kv q dim"})};
}

nn::MlpOptions mlp_options(const VitConfig& c) {
  return {.activation = nn::Activation::gelu_tanh,
          .gated = false,
          .bias = true,
          .dropout = c.dropout,
          .init_up = nn::glorot_uniform(),
          .init_down = nn::glorot_uniform()};
}

nn::TransformerOptions layer_options(const VitConfig& c) {
  return {.norm = kNorm,
          .attention = attention_options(c),
          .mlp = mlp_options(c),
          .dropout = c.dropout};
}

}  // namespace

Vit::Vit(VitConfig config)
    : Module(sizes(config)),
      config_(std::move(config)),
      patches_(this,
               "patches",
               {.height = config_.patch, .width = config_.patch, .channels = config_.channels}),
      dropout_(this, "dropout", config_.dropout),
      encoder_(this,
               "encoder",
               config_.layers,
               layer_options(config_),
               {.form = config_.stack, .remat = config_.remat}),
      head_(this, "head", "embed", "classes", {.init = nn::zeros()}) {
  set_param_dtype(config_.param_dtype);
  if (config_.positions == ImagePositions::learned) {
    double stddev = 1 / std::sqrt(static_cast<double>(config_.embed));
    position_ = param("position", "patches embed", nn::normal(stddev));
  }
  if (config_.pooling == Pooling::first) first_ = param("first", "one embed", nn::zeros());
  if (config_.pooling == Pooling::attention) {
    nn::AttentionPoolOptions pool{
        .attention = attention_options(config_), .norm = kNorm, .mlp = mlp_options(config_)};
    pool_.emplace(this, "pool", pool);
  }
}

Value Vit::with_positions(Ctx& p, Value x) const {
  if (!position_.is_null()) return x + p[position_];
  std::int64_t rows = config_.height / config_.patch, columns = config_.width / config_.patch;
  return x + cast(nn::sincos_2d(rows, columns, config_.embed), x.dtype());
}

Value Vit::features(Ctx& p, Value images) const {
  nn::Scope scope(*this);
  Value x = graph::constrain(with_positions(p, patches_(p, images)), "batch patches embed");
  if (!first_.is_null()) {
    Value first = graph::broadcast_to(p[first_], {x.dim(0), 1, x.dim(2)});
    x = graph::concatenate({first, x}, 1);
  }
  return encoder_(p, dropout_(p, x));
}

Value Vit::pooled(Ctx& p, Value x) const {
  switch (config_.pooling) {
    case Pooling::attention:
      return (*pool_)(p, x);
    case Pooling::mean:
      return nn::mean_pooled(x);
    case Pooling::first:
      return nn::first_pooled(x);
  }
  return x;
}

Value Vit::logits(Ctx& p, Value images) const {
  Value x = pooled(p, features(p, images));
  Value out = head_(p, x);
  return out.dtype() == f64 ? out : cast(out, f32);
}

}  // namespace meshwright::models
