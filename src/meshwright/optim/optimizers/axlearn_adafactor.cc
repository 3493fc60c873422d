// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/optimizers/axlearn_adafactor.h"

#include <utility>
#include <vector>

#include "meshwright/base/check.h"
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
           out.d0.size(), " rows and ", out.d1.size(), " columns; expected one of each");
  return out;
}

DecayByRate decay_by_rate(const AxlearnAdafactorOptions& o, const Schedule& learning_rate) {
  if (o.weight_decay_learning_rate_exponent == 0) return {.first_step = o.first_step};
  return {.exponent = o.weight_decay_learning_rate_exponent,
          .learning_rate = learning_rate,
          .first_step = o.first_step};
}

}  // namespace

Transform axlearn_adafactor(const AxlearnAdafactorOptions& o, const RunLength& run) {
  const Schedule learning_rate = make_schedule(o.learning_rate, run);
  std::vector<Transform> parts;
  parts.push_back(scale_by_factored_rms(
      {.factored = o.factored ? declared_dims : not_factored(),
       .decay_rate = o.b2 ? decay_bias_correction(*o.b2) : adafactor_decay_rate(o.decay_exponent),
       .eps = o.eps}));
  if (o.clipping_threshold) parts.push_back(clip_by_block_rms(*o.clipping_threshold));
  parts.push_back(
      scale_by_learning_rate(learning_rate, {.first_step = o.first_step, .negate = false}));
  if (o.multiply_by_parameter_scale) parts.push_back(scale_by_param_rms());
  if (o.b1) {
    parts.push_back(
        ema({.decay = decay_bias_correction(*o.b1), .debias = false, .dtype = o.momentum_dtype}));
  }
  parts.push_back(add_decayed_weights(o.weight_decay, decay_by_rate(o, learning_rate)));
  if (o.trust_ratio) parts.push_back(scale_by_trust_ratio({.eps = o.eps}));
  parts.push_back(scale(-1));
  return chain(std::move(parts), "axlearn_adafactor");
}

}  // namespace meshwright::optim
