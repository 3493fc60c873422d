// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/optimizers/lamb.h"

namespace meshwright::optim {

Transform lamb(const LambOptions& o, const RunLength& run) {
  return chain(
      {
          scale_by_adam(o.adam),
          add_decayed_weights(o.weight_decay),
          scale_by_trust_ratio(o.trust_ratio),
          scale_by_learning_rate(make_schedule(o.learning_rate, run), {.first_step = o.first_step}),
      },
      "lamb");
}

}  // namespace meshwright::optim
