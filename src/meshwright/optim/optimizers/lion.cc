// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/optimizers/lion.h"

#include "meshwright/optim/transforms/per_param.h"

namespace meshwright::optim {

Transform scale_by_lion(const LionMoments& options) {
  auto slots = [o = options](const ParamSpecs& params) {
    SlotSpecs out;
    out["mu"] = like(params, o.mu_dtype);
    return out;
  };
  auto steps = [o = options](const UpdateContext& context, PendingUpdates& updates,
                             const std::string& at) {
    for_each(context.specs, [&](const std::string& path, const ParamSpec&) {
      updates.add(path, kernels::lion_step(o.b1, o.b2), {join_tree_path(at, "mu/" + path)});
    });
  };
  return {.name = "lion", .slots = slots, .steps = steps};
}

}  // namespace meshwright::optim
