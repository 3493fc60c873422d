// SPDX-License-Identifier: Apache-2.0
// Whole optimizers, as chains of the transforms beside this file.
#pragma once

#include <optional>

#include "meshwright/optim/adam.h"
#include "meshwright/optim/decay.h"
#include "meshwright/optim/scale.h"
#include "meshwright/optim/schedule.h"
#include "meshwright/optim/transform.h"

namespace meshwright::optim {

struct AdamWOptions {
  Schedule learning_rate;
  LearningRateOptions rate = {};
  AdamOptions adam = {};
  double weight_decay = 0;  // times the learning rate
  DecayScales decay_scales = {};
};
Transform adamw(const AdamWOptions& options);

}  // namespace meshwright::optim
