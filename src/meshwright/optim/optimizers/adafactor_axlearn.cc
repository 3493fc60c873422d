// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/optim/optimizers/adafactor.h"
#include "meshwright/optim/transforms/clip.h"
#include "meshwright/optim/transforms/ema.h"
#include "meshwright/optim/transforms/factored_rms.h"
#include "meshwright/optim/transforms/scale.h"

namespace meshwright::optim {
namespace {

std::optional<FactoredDims> declared_dims(const std::string& path, const ParamSpec& spec) {
  FactoredDims out;
  for (std::size_t i = 0; i < spec.factorization.size(); ++i) {
    auto dim = static_cast<std::int64_t>(i);
    if (spec.factorization[i] == FactorRole::col) out.d1.push_back(dim);
    if (spec.factorization[i] == FactorRole::row) out.d0.push_back(dim);
  }
  if (out.d0.empty() && out.d1.empty()) return std::nullopt;
  MW_CHECK(out.d0.size() == 1 && out.d1.size() == 1, "adafactor: '", path, "' declares ",
           out.d0.size(), " rows and ", out.d1.size(), " columns; wants one of each");
  return out;
}

}  // namespace

Transform axlearn_adafactor(const AxlearnAdafactorOptions& o) {
  FactorChoice none = [](const std::string&, const ParamSpec&) { return std::nullopt; };
  std::vector<Transform> parts;
  parts.push_back(scale_by_factored_rms(
      {.factored = o.factored ? declared_dims : none, .decay_rate = o.b2, .eps = o.eps}));
  if (o.clipping_threshold) parts.push_back(clip_by_block_rms(*o.clipping_threshold));
  if (o.learning_rate) {
    parts.push_back(
        scale_by_learning_rate(o.learning_rate, {.first_step = o.first_step, .negate = false}));
  }
  if (o.multiply_by_parameter_scale) parts.push_back(scale_by_param_rms());
  if (o.b1) parts.push_back(ema({.decay = o.b1, .debias = false, .dtype = o.momentum_dtype}));
  if (o.weight_decay) {
    DecayOptions decay{
        .weight_decay = *o.weight_decay, .scales = o.decay_scales, .first_step = o.first_step};
    if (o.weight_decay_learning_rate_exponent != 0) {
      decay.learning_rate_exponent = o.weight_decay_learning_rate_exponent;
      decay.learning_rate = o.learning_rate;
    }
    parts.push_back(add_decayed_weights(decay));
  }
  if (o.scale_by_trust_ratio) parts.push_back(scale_by_trust_ratio({.eps = o.eps}));
  parts.push_back(scale(-1));
  return chain(std::move(parts), "axlearn_adafactor");
}

}  // namespace meshwright::optim
