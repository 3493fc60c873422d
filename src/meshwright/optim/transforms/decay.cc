// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/transforms/decay.h"

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/optim/transforms/per_param.h"

namespace meshwright::optim {

double DecayScales::of(std::string_view path, const ParamSpec& spec) const {
  if (use_declared && spec.weight_decay_scale != 1) return spec.weight_decay_scale;
  return rules.value_or(path, otherwise);
}

Transform add_decayed_weights(const DecayOptions& options) {
  MW_CHECK(!options.learning_rate_exponent || options.learning_rate,
           "add_decayed_weights: learning_rate_exponent wants the learning rate");
  auto steps = [o = options](const UpdateContext& context, PendingUpdates& updates,
                             const std::string&) {
    std::optional<Value> rate_power;
    if (o.learning_rate_exponent) {
      Value step = graph::cast(context.count, f32) + static_cast<double>(o.first_step);
      rate_power = graph::pow(o.learning_rate(step), *o.learning_rate_exponent);
    }
    Numbers factors;
    for_each(context.specs, [&](const std::string& path, const ParamSpec& spec) {
      const double decay = o.weight_decay * o.scales.of(path, spec);
      if (decay == 0) return;
      Value factor = factors(decay, spec, [&](DType dtype) {
        if (!rate_power) return graph::constant(decay, dtype);
        return decay * graph::cast(*rate_power, dtype);
      });
      updates.add(path, kernels::add_param_step(factor));
    });
  };
  return {.name = "weight_decay", .steps = steps};
}

Transform l2_regularizer(double weight, const DecayScales& scales) {
  Transform out = add_decayed_weights({.weight_decay = weight, .scales = scales});
  out.name = "l2";
  return out;
}

}  // namespace meshwright::optim
