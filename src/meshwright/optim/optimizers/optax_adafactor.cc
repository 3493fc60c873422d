// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/optimizers/optax_adafactor.h"

#include <utility>
#include <vector>

#include "meshwright/optim/transforms/clip.h"
#include "meshwright/optim/transforms/ema.h"
#include "meshwright/optim/transforms/factored_rms.h"
#include "meshwright/optim/transforms/scale.h"

namespace meshwright::optim {

Transform optax_adafactor(const OptaxAdafactorOptions& o, const RunLength& run) {
  std::vector<Transform> parts;
  parts.push_back(scale_by_factored_rms(
      {.factored = o.factored ? factored_by_size(o.min_dim_size_to_factor) : not_factored(),
       .decay_rate = adafactor_decay_rate(o.decay_rate, o.decay_offset),
       .eps = o.eps}));
  if (o.clipping_threshold) parts.push_back(clip_by_block_rms(*o.clipping_threshold, Block::whole));
  parts.push_back(scale_by_learning_rate(make_schedule(o.learning_rate, run),
                                         {.first_step = o.first_step, .negate = false}));
  if (o.multiply_by_parameter_scale) parts.push_back(scale_by_param_rms(1e-3, Block::whole));
  if (o.momentum) parts.push_back(optax_ema(*o.momentum, o.momentum_dtype));
  parts.push_back(add_decayed_weights(o.weight_decay));
  parts.push_back(scale(-1));
  return chain(std::move(parts), "optax_adafactor");
}

}  // namespace meshwright::optim
