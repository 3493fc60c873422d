// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "meshwright/config/fields.h"
#include "meshwright/config/pattern.h"
#include "meshwright/nn/initial_values.h"

namespace meshwright::nn {

/// Adds normal noise to parameters whose full path matches `pattern`.
struct NoiseRule {
  std::string pattern;
  double stddev = 0;

  void fields(auto& f) {
    f.required("pattern", pattern, config::kPattern,
               "Pattern that must match the whole path of a parameter.");
    f.required("stddev", stddev, config::kNotNegative, "Standard deviation.");
  }
};

/// Returns the parameters with the noise of the first matching rule added; leaves others unchanged.
/// Call this only in training, after the parameters have been cast to the training dtype. Derives
/// keys from `key` by name, as initial_values() does. Throws invalid_argument if a pattern is not a
/// regular expression.
ValueTree with_noise(const ValueTree& params,
                     const graph::random::Key& key,
                     const std::vector<NoiseRule>& rules);

}  // namespace meshwright::nn
