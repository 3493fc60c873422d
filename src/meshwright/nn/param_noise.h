// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "meshwright/base/regex.h"
#include "meshwright/nn/initial_values.h"

namespace meshwright::nn {

/// Adds normal noise to parameters whose full path matches.
struct NoiseRule {
  Regex pattern;
  double stddev;
};

/// Returns the parameters with the noise of the first matching rule added; leaves others unchanged.
/// Call it in training only, after the cast to the training dtype. Derives keys from `key` by name,
/// as initial_values() does.
ValueTree with_noise(const ValueTree& params,
                     const graph::random::Key& key,
                     const std::vector<NoiseRule>& rules);

}  // namespace meshwright::nn
