// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

/// A limit for gradient norms that follows the norms seen so far.
struct AdaptiveDrop {
  double decay = 0.99;  // of the averages of the norm and of its square, corrected for their start
  /// A norm at or over one of these multiples is dropped...
  std::vector<double> multipliers = {20, 40, 100};
  /// ... of the average; or, if set, over the average plus these multiples of the deviation, once
  /// so many norms have been seen.
  std::optional<int> stddev_after = {};
};

struct SkipOptions {
  std::optional<double> max_norm = {};  // clips as clip_by_global_norm
  std::optional<double> drop_norm =
      {};  // an update whose gradient has this norm or more is skipped
  std::optional<AdaptiveDrop> adaptive = {};
  double eps = 1e-8;
};
/// An update with gradients that are not finite, or too large, changes neither parameters nor the
/// slots of `inner`, which does not count it. Slots: inner/..., count, nonvalid_count, and of an
/// adaptive limit grad_norm_ema, grad_norm_square_ema and exceeds/... Summaries: gradient_norm,
/// gradient_scale, nonvalid_count, gradient_norm_ema, gradient_norm_std_ema.
Transform skip_and_clip(Transform inner, const SkipOptions& options);

}  // namespace meshwright::optim
