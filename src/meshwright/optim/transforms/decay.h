// SPDX-License-Identifier: Apache-2.0
// Pulling parameters towards zero.
#pragma once

#include <optional>

#include "meshwright/optim/schedules/schedule.h"
#include "meshwright/optim/transforms/path_rules.h"
#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

/// How much of the decay each parameter gets.
struct DecayScales {
  PathRules<double> rules = {};
  double otherwise = 1;  // where no rule matches
  /// A parameter that declares a scale other than 1 has that one, whatever the rules say.
  bool use_declared = true;

  double of(std::string_view path, const ParamSpec& spec) const;
};

struct DecayOptions {
  double weight_decay = 0;
  DecayScales scales = {};
  /// Times learning_rate(step)^exponent; for a chain that does not multiply by the learning rate
  /// afterwards.
  std::optional<double> learning_rate_exponent = {};
  Schedule learning_rate = {};
  int first_step = 1;
};
/// Adds weight_decay * parameter to the update. Parameters with a scale of 0 are left out. Throws
/// invalid_argument for an exponent without a schedule.
Transform add_decayed_weights(const DecayOptions& options);

/// The same for a gradient, before moments are taken of it.
Transform l2_regularizer(double weight, const DecayScales& scales = {});

}  // namespace meshwright::optim
