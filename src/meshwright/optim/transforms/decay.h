// SPDX-License-Identifier: Apache-2.0
// Weight decay.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "meshwright/config/fields.h"
#include "meshwright/optim/schedules/schedule.h"
#include "meshwright/optim/transforms/path_rules.h"
#include "meshwright/optim/transforms/scale_rule.h"
#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

/// Settings of weight decay: `rate` times a scale per parameter.
struct WeightDecay {
  double rate = 0;
  std::vector<ScaleRule> rules = {};
  double otherwise = 1;  // the scale if no rule matches
  /// True if a scale other than 1 declared by the model takes precedence over the rules.
  bool use_declared = true;

  void fields(auto& f) {
    f.optional("weight_decay", rate, config::kNotNegative, "Weight decay.");
    f.optional("weight_decay_rules", rules, "Multipliers of weight_decay by path.");
    f.optional("weight_decay_otherwise", otherwise, config::kNotNegative,
               "Multiplier of weight_decay for parameters that match no pattern.");
    f.optional("weight_decay_declared", use_declared,
               "Whether weight-decay scales declared by the model take precedence over the rules.");
  }
};

/// The scales of a WeightDecay, with compiled patterns.
class DecayScales {
 public:
  explicit DecayScales(WeightDecay decay);

  double of(std::string_view path, const ParamSpec& spec) const;

 private:
  WeightDecay decay_;
  PathRules<double> rules_;
};

/// Multiplies the decay by learning_rate(step)^exponent, for chains that apply the learning rate
/// before the decay.
struct DecayByRate {
  std::optional<double> exponent = {};
  Schedule learning_rate = {};
  int first_step = 1;  // step passed to the schedule at the first update
};
/// Adds rate * scale * parameter to each update, unless rate * scale is 0. Throws invalid_argument
/// for an exponent without a learning rate.
Transform add_decayed_weights(const WeightDecay& decay, const DecayByRate& by_rate = {});

/// Like add_decayed_weights(), but named "l2" in the chain, for use before the moments.
Transform l2_regularizer(const WeightDecay& decay);

}  // namespace meshwright::optim
