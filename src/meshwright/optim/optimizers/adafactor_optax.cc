// SPDX-License-Identifier: Apache-2.0
// optax's Adafactor, and Big Vision's, which is made of the same parts.
#include <utility>

#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/optim/optimizers/adafactor.h"
#include "meshwright/optim/transforms/clip.h"
#include "meshwright/optim/transforms/ema.h"
#include "meshwright/optim/transforms/factored_rms.h"
#include "meshwright/optim/transforms/scale.h"

namespace meshwright::optim {
namespace {

FactorChoice by_size(bool factored, std::int64_t min_size) {
  return [=](const std::string&, const ParamSpec& spec) {
    return factored ? two_largest_dims(spec.type.dims, min_size) : std::nullopt;
  };
}

Transform average_of_optax(double decay, std::optional<DType> dtype) {
  return ema({.decay = decay, .debias = false, .dtype = dtype, .keeps_scalars = false});
}

}  // namespace

Transform optax_adafactor(const OptaxAdafactorOptions& o) {
  std::vector<Transform> parts;
  parts.push_back(
      scale_by_factored_rms({.factored = by_size(o.factored, o.min_dim_size_to_factor),
                             .decay_rate = adafactor_decay_rate(o.decay_rate, o.decay_offset),
                             .eps = o.eps}));
  if (o.clipping_threshold) {
    parts.push_back(clip_by_block_rms(*o.clipping_threshold, Block::whole));
  }
  if (o.learning_rate) {
    parts.push_back(
        scale_by_learning_rate(o.learning_rate, {.first_step = o.first_step, .negate = false}));
  }
  if (o.multiply_by_parameter_scale) parts.push_back(scale_by_param_rms(1e-3, Block::whole));
  if (o.momentum) {
    parts.push_back(average_of_optax(*o.momentum, o.momentum_dtype));
  }
  if (o.weight_decay) {
    parts.push_back(
        add_decayed_weights({.weight_decay = *o.weight_decay, .scales = o.decay_scales}));
  }
  parts.push_back(scale(-1));
  return chain(std::move(parts), "optax_adafactor");
}

Transform scale_by_big_vision_adafactor(const BigVisionAdafactorOptions& o) {
  Schedule decay = [rate = adafactor_decay_rate(o.decay_rate, o.decay_offset),
                    cap = o.beta2_cap](Value step) { return graph::minimum(cap, rate(step)); };
  std::vector<Transform> parts;
  parts.push_back(scale_by_factored_rms(
      {.factored = by_size(true, o.min_dim_size_to_factor), .decay_rate = decay, .eps = o.eps}));
  if (o.clipping_threshold) {
    parts.push_back(clip_by_block_rms(*o.clipping_threshold, Block::whole));
  }
  if (o.momentum) {
    parts.push_back(average_of_optax(*o.momentum, o.momentum_dtype));
  }
  return chain(std::move(parts), "big_vision_adafactor");
}

}  // namespace meshwright::optim
