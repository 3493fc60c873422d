// SPDX-License-Identifier: Apache-2.0
// Transforms that bound gradients or updates.
#pragma once

#include <optional>

#include "meshwright/config/fields.h"
#include "meshwright/optim/transforms/per_param.h"
#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

struct ClipOptions {
  std::optional<double> max_norm = {};  // if absent, only reports the norm
  /// Gradients are replaced by zeros if their norm is at or above this.
  std::optional<double> drop_norm = {};
  double eps = 1e-8;

  void fields(auto& f) {
    f.optional("clip_norm", max_norm, config::kPositive,
               "Upper bound on the global gradient norm.");
    f.optional("drop_norm", drop_norm, config::kPositive,
               "Replace gradients by zeros if their global norm reaches this value.");
    f.optional("clip_eps", eps, config::kNotNegative,
               "Added to the norm when clipping. 0 in optax, T5X and seqax.");
  }
};
/// Clips by the norm over all parameters. Dropped gradients pass through the rest of the chain as
/// zeros. Summaries: gradient_norm, gradient_scale (the factor).
Transform clip_by_global_norm(const ClipOptions& options);

/// Clips each array by its norm.
Transform clip_by_param_norm(double max_norm, Block block = Block::layer);
/// Clips each array by its root mean square.
Transform clip_by_block_rms(double threshold, Block block = Block::layer);
/// Clamps each element to [-limit, limit].
Transform clip_by_value(double limit);

}  // namespace meshwright::optim
