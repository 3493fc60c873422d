// SPDX-License-Identifier: Apache-2.0
// The optimizers that a config can select by `type`.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "meshwright/config/fields.h"
#include "meshwright/optim/optimizers/adam.h"
#include "meshwright/optim/optimizers/adamw.h"
#include "meshwright/optim/optimizers/adastar.h"
#include "meshwright/optim/optimizers/axlearn_adafactor.h"
#include "meshwright/optim/optimizers/decoupled_adamw.h"
#include "meshwright/optim/optimizers/lamb.h"
#include "meshwright/optim/optimizers/lion.h"
#include "meshwright/optim/optimizers/muon.h"
#include "meshwright/optim/optimizers/optax_adafactor.h"
#include "meshwright/optim/optimizers/sgd.h"
#include "meshwright/optim/optimizers/t5x_adafactor.h"
#include "meshwright/optim/transforms/clip.h"
#include "meshwright/optim/transforms/scale_rule.h"
#include "meshwright/optim/transforms/skip.h"

namespace meshwright::optim {

/// Settings that all optimizers except Big Vision's have in addition to their own.
struct OptimizerFrame {
  ClipOptions clip = {};
  std::optional<SkipOptions> skip = {};
  std::vector<ScaleRule> learning_rate_rules = {};

  void fields(auto& f) {
    clip.fields(f);
    f.optional(
        "skip", skip,
        "Skip updates whose gradients are not finite or exceed drop_norm or the adaptive limit; "
        "they change nothing and do not count. `none`: replace such gradients by zeros.");
    f.optional("learning_rate_rules", learning_rate_rules,
               "Multipliers of whole updates by path. 1 where no pattern matches.");
  }
};

template <typename Options>
Options options_of(Transform (*make)(const Options&, const RunLength&));

/// The config table of one optimizer. `kMake` builds the chain from the options.
template <auto kMake>
struct OptimizerTable {
  using Options = decltype(options_of(kMake));
  static constexpr const char* kType = Options::kType;
  Options options = {};
  OptimizerFrame frame = {};

  void fields(auto& f) {
    f.required("learning_rate", options.learning_rate, config::kNotNegative,
               "A number or a schedule.");
    f.optional("first_step", options.first_step, config::between(0, 1),
               "The step a schedule gets for the first update: 1 in AXLearn; 0 in optax, T5X, Big "
               "Vision and seqax.");
    frame.fields(f);
    options.fields(f);
  }
  Transform make(const RunLength& run) const { return kMake(options, run); }
};

using AnyOptimizerTable = std::variant<OptimizerTable<adamw>,
                                       OptimizerTable<adam>,
                                       OptimizerTable<decoupled_adamw>,
                                       OptimizerTable<sgd>,
                                       OptimizerTable<lion>,
                                       OptimizerTable<lamb>,
                                       OptimizerTable<muon>,
                                       OptimizerTable<axlearn_adafactor>,
                                       OptimizerTable<optax_adafactor>,
                                       OptimizerTable<t5x_adafactor>,
                                       OptimizerTable<adastar>>;

}  // namespace meshwright::optim
