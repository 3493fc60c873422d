// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "meshwright/base/regex.h"
#include "meshwright/nn/initial_values.h"

namespace meshwright::nn {

/// Normal noise for parameters whose full path matches.
struct NoiseRule {
  Regex pattern;
  double stddev;
};

/// Returns the parameters with noise added by the first rule that matches; others are unchanged.
/// Traced, for training only, after the cast to the training dtype. Derives keys from `key` by
/// name, as initial_values() does.
ValueTree with_noise(const ValueTree& params,
                     const graph::random::Key& key,
                     const std::vector<NoiseRule>& rules);

}  // namespace meshwright::nn
