// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/adam.h"

#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/optim/moment.h"
#include "meshwright/optim/per_param.h"

namespace meshwright::optim {
namespace {

// With Nesterov's look-ahead the first moment is taken one update further.
ValueTree first_moment(const AdamOptions& o,
                       const ValueTree& updates,
                       const ValueTree& mu,
                       Value number) {
  if (!o.nesterov) return bias_corrected(mu, o.b1, number);
  return moving_average(bias_corrected(updates, o.b1, number),
                        bias_corrected(mu, o.b1, number + 1.0), o.b1);
}

}  // namespace

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
    return map(first_moment(o, updates, mu, number), bias_corrected(nu, o.b2, number),
               [&](Value m, Value n) {
                 Value root = graph::sqrt(o.eps_root == 0 ? n : n + o.eps_root);
                 return m / (root + o.eps);
               });
  };
  return {.name = "adam", .slots = slots, .update = update};
}

}  // namespace meshwright::optim
