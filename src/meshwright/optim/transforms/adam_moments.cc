// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/transforms/adam_moments.h"

#include <string>

#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/optim/transforms/moment.h"
#include "meshwright/optim/transforms/per_param.h"

namespace meshwright::optim {

Transform scale_by_adam(const AdamMoments& moments) {
  auto slots = [o = moments](const ParamSpecs& params) {
    SlotSpecs out;
    out["mu"] = slots_like(params, o.mu_dtype);
    out["nu"] = slots_like(params, o.nu_dtype);
    return out;
  };
  auto steps = [o = moments](const UpdateContext& context, PendingUpdates& updates,
                             const std::string& at) {
    const Value number = context.update_number();
    BiasCorrections first(o.b1, number), next(o.b1, number + 1.0), second(o.b2, number);
    for_each(context.specs, [&](const std::string& path, const ParamSpec& spec) {
      const kernels::AdamNumbers numbers{.b1 = o.b1,
                                         .b2 = o.b2,
                                         .eps = o.eps,
                                         .eps_root = o.eps_root,
                                         .nesterov = o.nesterov,
                                         .correction = first(spec),
                                         .next_correction = o.nesterov ? next(spec) : Value(),
                                         .square_correction = second(spec)};
      updates.add_step(path, kernels::adam_step(numbers),
                       {join_tree_path(at, "mu/" + path), join_tree_path(at, "nu/" + path)});
    });
  };
  return {.name = "adam", .slots = slots, .steps = steps};
}

}  // namespace meshwright::optim
