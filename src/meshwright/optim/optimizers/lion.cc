// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/optimizers/lion.h"

#include <utility>
#include <vector>

#include "meshwright/optim/transforms/per_param.h"
#include "meshwright/optim/transforms/scale.h"

namespace meshwright::optim {

Transform scale_by_lion(const LionMoments& moments) {
  auto slots = [o = moments](const ParamSpecs& params) {
    SlotSpecs out;
    out["mu"] = slots_like(params, o.mu_dtype);
    return out;
  };
  auto steps = [o = moments](const UpdateContext& context, PendingUpdates& updates,
                             const std::string& at) {
    for_each(context.specs, [&](const std::string& path, const ParamSpec&) {
      updates.add_step(path, kernels::lion_step(o.b1, o.b2), {join_tree_path(at, "mu/" + path)});
    });
  };
  return {.name = "lion", .slots = slots, .steps = steps};
}

Transform lion(const LionOptions& o, const RunLength& run) {
  std::vector<Transform> parts = {scale_by_lion(o.moments)};
  if (o.multiply_by_parameter_scale) parts.push_back(scale_by_param_rms());
  parts.push_back(add_decayed_weights(o.weight_decay));
  parts.push_back(
      scale_by_learning_rate(make_schedule(o.learning_rate, run), {.first_step = o.first_step}));
  return chain(std::move(parts), "lion");
}

}  // namespace meshwright::optim
