// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "meshwright/config/fields.h"
#include "meshwright/optim/transforms/clip.h"
#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

/// A limit on gradient norms relative to the norms seen so far.
struct AdaptiveDrop {
  double decay = 0.99;
  std::vector<double> multipliers = {20, 40, 100};
  std::optional<int> stddev_after = {};

  void fields(auto& f) {
    f.optional("decay", decay, config::kBelowOne,
               "Decay rate of the averages of the norm and its square.");
    f.optional("multipliers", multipliers, config::kPositive,
               "Norms above this multiple of the average are too large.");
    f.optional("stddev_after", stddev_after, config::kPositive,
               "After this many norms have been seen, the limit is the average plus a multiple of "
               "the standard deviation. `none`: always a multiple of the average.");
  }
};

struct SkipOptions {
  std::optional<AdaptiveDrop> adaptive = {};

  void fields(auto& f) {
    f.optional("adaptive", adaptive, "Limit the gradient norm relative to the norms seen so far.");
  }
};
/// Clips like clip_by_global_norm(), but skips an update if the gradients are not finite or their
/// norm reaches clip.drop_norm or exceeds the adaptive limit. A skipped update changes neither the
/// parameters nor the slots of `inner`, and `inner` does not count it.
/// Slots: inner/..., count, nonvalid_count; with an adaptive limit also grad_norm_ema,
/// grad_norm_square_ema and exceeds/...
/// Summaries: gradient_norm, gradient_scale, nonvalid_count, gradient_norm_ema,
/// gradient_norm_std_ema.
Transform skip_and_clip(Transform inner,
                        const ClipOptions& clip = {},
                        const SkipOptions& skip = {});

}  // namespace meshwright::optim
