// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/adam.h"

#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/optim/moment.h"
#include "meshwright/optim/per_param.h"

namespace meshwright::optim {
Transform scale_by_adam(const AdamOptions& options) {
  auto slots = [o = options](const ParamSpecs& params) {
    SlotSpecs out;
    out["mu"] = like(params, o.mu_dtype);
    out["nu"] = like(params, o.nu_dtype);
    return out;
  };
  auto update = [o = options](const UpdateContext& context, const ValueTree& updates,
                              ValueTree& state) {
    ValueTree squares = map(updates, [](Value g) { return graph::square(g); });
    ValueTree mu = moving_average(updates, state["mu"], o.b1);
    ValueTree nu = moving_average(squares, state["nu"], o.b2);
    state["mu"] = stored_as(mu, state["mu"]);
    state["nu"] = stored_as(nu, state["nu"]);
    Value number = context.number();
    ValueTree first =
        o.nesterov ? nesterov_average(updates, mu, o.b1, number) : bias_corrected(mu, o.b1, number);
    return map(first, bias_corrected(nu, o.b2, number), [&](Value m, Value n) {
      Value root = graph::sqrt(o.eps_root == 0 ? n : n + o.eps_root);
      return m / (root + o.eps);
    });
  };
  return {.name = "adam", .slots = slots, .update = update};
}

}  // namespace meshwright::optim
