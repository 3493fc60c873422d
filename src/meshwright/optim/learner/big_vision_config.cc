// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/learner/big_vision_config.h"

#include "meshwright/base/check.h"
#include "meshwright/optim/learner/big_vision.h"
#include "meshwright/optim/optimizers/adafactor.h"
#include "meshwright/optim/optimizers/lion.h"
#include "meshwright/optim/transforms/momentum.h"

namespace meshwright::optim {
namespace {

void check_all_used(const PathRules<double>& rules,
                    const ParamSpecs& params,
                    std::string_view table) {
  std::vector<std::string> paths;
  for_each(params, [&](const std::string& path, const ParamSpec&) { paths.push_back(path); });
  const std::vector<std::string> unused = rules.unused(paths, table);
  MW_CHECK(unused.empty(), join(unused, "\n"), "\nparameters of this run are named as ",
           paths.empty() ? "" : paths.front());
}

}  // namespace

Transform BigVisionAdamConfig::make() const {
  return scale_by_adam(adam());
}

Transform BigVisionAdafactorConfig::make() const {
  return scale_by_big_vision_adafactor({.min_dim_size_to_factor = min_dim_size_to_factor,
                                        .decay_rate = decay_rate,
                                        .decay_offset = decay_offset,
                                        .beta2_cap = beta2_cap,
                                        .clipping_threshold = clipping_threshold,
                                        .momentum = momentum,
                                        .momentum_dtype = dtype_of(momentum_dtype),
                                        .eps = eps});
}

Transform BigVisionMomentumConfig::make() const {
  return optim::momentum({.decay = momentum, .nesterov = nesterov, .dtype = dtype_of(dtype)});
}

Transform BigVisionLionConfig::make() const {
  return scale_by_lion({.b1 = b1, .b2 = b2, .mu_dtype = dtype_of(mu_dtype)});
}

Transform BigVisionSgdConfig::make() const {
  return identity();
}

LearnerGroup BigVisionConfig::group(const RunLength& run, const ParamSpecs& params) const {
  BigVisionOptions out{.lr = lr,
                       .grad_clip_norm = grad_clip_norm,
                       .lr_mults = scale_rules(lr_mults),
                       .wd = wd,
                       .wd_mults = scale_rules(wd_mults)};
  out.scaling = std::visit([](const auto& config) { return config.make(); }, scaling);
  for (const BigVisionScheduleRule& rule : schedules) {
    std::optional<Schedule> schedule;
    if (rule.schedule) schedule = make_schedule(*rule.schedule, run);
    out.schedules.emplace_back(rule.params, std::move(schedule));
  }
  check_all_used(out.lr_mults, params, "optimizer.lr_mults");
  if (wd != 0) check_all_used(out.wd_mults, params, "optimizer.wd_mults");
  return big_vision_learner(out, params);
}

}  // namespace meshwright::optim
