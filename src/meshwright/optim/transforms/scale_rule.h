// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "meshwright/config/fields.h"
#include "meshwright/config/pattern.h"
#include "meshwright/optim/transforms/path_rules.h"

namespace meshwright::optim {

/// A multiplier for the parameters whose whole path matches a pattern, as in { params = ".*/norm",
/// scale = 0 }.
struct ScaleRule {
  std::string params;
  double scale = 1;

  void fields(auto& f) {
    f.required("params", params, config::kPattern, "Pattern that must match the whole path.");
    f.required("scale", scale, config::kNotNegative, "Multiplier.");
  }
};

inline PathRules<double> scale_rules(const std::vector<ScaleRule>& rules) {
  return path_rules(rules, &ScaleRule::scale);
}

}  // namespace meshwright::optim
