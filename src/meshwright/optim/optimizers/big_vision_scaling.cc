// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/optimizers/big_vision_scaling.h"

#include <vector>

#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/optim/transforms/clip.h"
#include "meshwright/optim/transforms/ema.h"
#include "meshwright/optim/transforms/factored_rms.h"

namespace meshwright::optim {

Transform scale_by_big_vision_adafactor(const BigVisionAdafactorOptions& o) {
  Schedule decay = [rate = adafactor_decay_rate(o.decay_rate, o.decay_offset),
                    cap = o.beta2_cap](Value step) { return graph::minimum(cap, rate(step)); };
  std::vector<Transform> parts;
  parts.push_back(scale_by_factored_rms(
      {.factored = factored_by_size(o.min_dim_size_to_factor), .decay_rate = decay, .eps = o.eps}));
  if (o.clipping_threshold) parts.push_back(clip_by_block_rms(*o.clipping_threshold, Block::whole));
  if (o.momentum) parts.push_back(optax_ema(*o.momentum, o.momentum_dtype));
  return chain(std::move(parts), "big_vision_adafactor");
}

Transform BigVisionAdafactorOptions::make() const {
  return scale_by_big_vision_adafactor(*this);
}

Transform BigVisionAdam::make() const {
  return scale_by_adam(moments);
}

Transform BigVisionMomentum::make() const {
  return momentum(options);
}

Transform BigVisionLion::make() const {
  return scale_by_lion(moments);
}

Transform BigVisionSgd::make() const {
  return identity();
}

Transform make_scaling(const BigVisionScaling& scaling) {
  if (scaling.custom) return *scaling.custom;
  return std::visit([](const auto& chosen) { return chosen.make(); },
                    static_cast<const BigVisionScalingChoice&>(scaling));
}

}  // namespace meshwright::optim
