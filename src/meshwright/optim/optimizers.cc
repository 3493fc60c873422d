// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/optimizers.h"

namespace meshwright::optim {

Transform adamw(const AdamWOptions& o) {
  return chain({
      scale_by_adam(o.adam),
      add_decayed_weights({.weight_decay = o.weight_decay, .scales = o.decay_scales}),
      scale_by_learning_rate(o.learning_rate, o.rate),
  });
}

}  // namespace meshwright::optim
