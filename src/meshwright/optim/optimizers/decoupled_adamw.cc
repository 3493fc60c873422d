// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/optimizers/decoupled_adamw.h"

#include "meshwright/optim/transforms/scale.h"

namespace meshwright::optim {

Transform decoupled_adamw(const DecoupledAdamWOptions& o, const RunLength& run) {
  return chain(
      {
          scale_by_adam(o.adam),
          scale_by_learning_rate(make_schedule(o.learning_rate, run),
                                 {.first_step = o.first_step, .negate = false}),
          add_decayed_weights(o.weight_decay),
          scale_by_schedule(make_schedule(o.update_schedule, run), o.first_step, "update"),
          scale(-1),
      },
      "decoupled_adamw");
}

}  // namespace meshwright::optim
