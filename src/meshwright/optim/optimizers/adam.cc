// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/optimizers/adam.h"

#include "meshwright/optim/transforms/scale.h"

namespace meshwright::optim {

Transform adam(const AdamOptions& o, const RunLength& run) {
  return chain(
      {
          l2_regularizer(o.weight_decay),
          scale_by_adam(o.adam),
          scale_by_learning_rate(make_schedule(o.learning_rate, run), {.first_step = o.first_step}),
      },
      "adam");
}

}  // namespace meshwright::optim
