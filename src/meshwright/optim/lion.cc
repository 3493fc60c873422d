// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/lion.h"

#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/optim/moment.h"
#include "meshwright/optim/per_param.h"

namespace meshwright::optim {

Transform scale_by_lion(const LionMoments& options) {
  auto slots = [o = options](const ParamSpecs& params) {
    SlotSpecs out;
    out["mu"] = like(params, o.mu_dtype);
    return out;
  };
  auto update = [o = options](const UpdateContext&, const ValueTree& updates, ValueTree& state) {
    ValueTree seen = moving_average(updates, state["mu"], o.b1);
    state["mu"] = stored_as(moving_average(updates, state["mu"], o.b2), state["mu"]);
    return map(seen, [](Value x) { return graph::sign(x); });
  };
  return {.name = "lion", .slots = slots, .update = update};
}

}  // namespace meshwright::optim
