// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/transforms/momentum.h"

#include "meshwright/optim/transforms/per_param.h"

namespace meshwright::optim {

Transform momentum(const MomentumOptions& options) {
  auto slots = [o = options](const ParamSpecs& params) {
    SlotSpecs out;
    out["trace"] = slots_like(params, o.dtype);
    return out;
  };
  auto steps = [o = options](const UpdateContext& context, PendingUpdates& updates,
                             const std::string& at) {
    for_each(context.specs, [&](const std::string& path, const ParamSpec&) {
      updates.add_step(path, kernels::momentum_step(o.decay, o.nesterov),
                       {join_tree_path(at, "trace/" + path)});
    });
  };
  return {.name = "momentum", .slots = slots, .steps = steps};
}

}  // namespace meshwright::optim
