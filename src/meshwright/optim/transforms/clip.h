// SPDX-License-Identifier: Apache-2.0
// Transforms that keep gradients or updates from being too large.
#pragma once

#include <optional>

#include "meshwright/config/fields.h"
#include "meshwright/optim/transforms/per_param.h"
#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

struct ClipOptions {
  std::optional<double> max_norm = {};   // absent: not clipped, only reported
  std::optional<double> drop_norm = {};  // all become zero from this norm on
  /// Added to the norm it divides by: 1e-8 as in AXLearn; 0 as in T5X, optax and seqax.
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
/// By the norm over all of them together. Summaries: gradient_norm, and gradient_scale, the factor.
/// A drop sets gradients to zero, and the chain goes on with those.
Transform clip_by_global_norm(const ClipOptions& options);

/// Each by its own norm.
Transform clip_by_param_norm(double max_norm, Block block = Block::layer);
/// Each by its root mean square.
Transform clip_by_block_rms(double threshold, Block block = Block::layer);
/// Each element to -limit..limit.
Transform clip_by_value(double limit);

}  // namespace meshwright::optim
