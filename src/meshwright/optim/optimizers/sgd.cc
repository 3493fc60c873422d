// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/optimizers/sgd.h"

#include <utility>
#include <vector>

#include "meshwright/optim/transforms/scale.h"

namespace meshwright::optim {

Transform sgd(const SgdOptions& o, const RunLength& run) {
  std::vector<Transform> parts;
  if (!o.decouple_weight_decay) parts.push_back(add_decayed_weights(o.weight_decay));
  if (o.momentum.decay != 0) parts.push_back(momentum(o.momentum));
  if (o.decouple_weight_decay) parts.push_back(add_decayed_weights(o.weight_decay));
  parts.push_back(
      scale_by_learning_rate(make_schedule(o.learning_rate, run), {.first_step = o.first_step}));
  return chain(std::move(parts), "sgd");
}

}  // namespace meshwright::optim
