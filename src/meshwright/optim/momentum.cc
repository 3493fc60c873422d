// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/momentum.h"

#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/optim/moment.h"
#include "meshwright/optim/per_param.h"

namespace meshwright::optim {

Transform momentum(const MomentumOptions& options) {
  auto slots = [o = options](const ParamSpecs& params) {
    SlotSpecs out;
    out["trace"] = like(params, o.dtype);
    return out;
  };
  auto update = [o = options](const UpdateContext&, const ValueTree& updates, ValueTree& state) {
    auto added = [&](Value newer, Value older) {
      return newer + o.decay * graph::cast(older, newer.dtype());
    };
    ValueTree trace = map(updates, state["trace"], added);
    state["trace"] = stored_as(trace, state["trace"]);
    return o.nesterov ? map(updates, trace, added) : trace;
  };
  return {.name = "momentum", .slots = slots, .update = update};
}

}  // namespace meshwright::optim
