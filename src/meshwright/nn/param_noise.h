// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "meshwright/base/regex.h"
#include "meshwright/nn/initial_values.h"

namespace meshwright::nn {

/// Normal noise for parameters whose whole path matches.
struct NoiseRule {
  Regex pattern;
  double stddev;
};

/// The parameters with noise added, by the first rule that matches; the others as they are. Traced,
/// for training only, after the cast to the dtype of training. Keys are made from `key` by names,
/// as initial_values does it.
ValueTree with_noise(const ValueTree& params,
                     const graph::random::Key& key,
                     const std::vector<NoiseRule>& rules);

}  // namespace meshwright::nn
