// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/transforms/decay.h"

#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/optim/transforms/per_param.h"

namespace meshwright::optim {

DecayScales::DecayScales(WeightDecay decay)
    : decay_(std::move(decay)), rules_(scale_rules(decay_.rules)) {}

double DecayScales::of(std::string_view path, const ParamSpec& spec) const {
  if (decay_.use_declared && spec.weight_decay_scale != 1) return spec.weight_decay_scale;
  return rules_.value_or(path, decay_.otherwise);
}

Transform add_decayed_weights(const WeightDecay& decay, const DecayByRate& by_rate) {
  MW_CHECK(!by_rate.exponent || by_rate.learning_rate,
           "add_decayed_weights: an exponent of the learning rate requires a learning rate");
  auto steps = [rate = decay.rate, scales = DecayScales(decay), by_rate](
                   const UpdateContext& context, PendingUpdates& updates, const std::string&) {
    if (rate == 0) return;
    std::optional<Value> rate_power;
    if (by_rate.exponent) {
      Value step = graph::cast(context.count, f32) + static_cast<double>(by_rate.first_step);
      rate_power = graph::pow(by_rate.learning_rate(step), *by_rate.exponent);
    }
    SharedScalars factors;
    for_each(context.specs, [&](const std::string& path, const ParamSpec& spec) {
      const double own = rate * scales.of(path, spec);
      if (own == 0) return;
      Value factor = factors(own, spec, [&](DType dtype) {
        if (!rate_power) return graph::constant(own, dtype);
        return own * graph::cast(*rate_power, dtype);
      });
      updates.add_step(path, kernels::add_param_step(factor));
    });
  };
  return {.name = "weight_decay", .steps = steps};
}

Transform l2_regularizer(const WeightDecay& decay) {
  Transform out = add_decayed_weights(decay);
  out.name = "l2";
  return out;
}

}  // namespace meshwright::optim
