// SPDX-License-Identifier: Apache-2.0
// Whole optimizers, as chains of the transforms beside this file. Adafactor's four kinds, Muon and
// Big Vision's chain have files of their own.
#pragma once

#include <optional>

#include "meshwright/optim/optimizers/lion.h"
#include "meshwright/optim/schedules/schedule.h"
#include "meshwright/optim/transforms/adam_moments.h"
#include "meshwright/optim/transforms/decay.h"
#include "meshwright/optim/transforms/scale.h"
#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

struct SgdOptions {
  Schedule learning_rate;
  LearningRateOptions rate = {};
  double momentum = 0;
  bool nesterov = false;
  std::optional<DType> momentum_dtype = {};
  double weight_decay = 0;
  DecayScales decay_scales = {};
  /// Whether the decay is added after the momentum; otherwise to the gradient, as in PyTorch.
  bool decouple_weight_decay = true;
};
Transform sgd(const SgdOptions& options);

struct AdamWOptions {
  Schedule learning_rate;
  LearningRateOptions rate = {};
  AdamOptions adam = {};
  double weight_decay = 0;  // times the learning rate
  DecayScales decay_scales = {};
};
Transform adamw(const AdamWOptions& options);

struct AdamL2Options {
  Schedule learning_rate;
  LearningRateOptions rate = {};
  AdamOptions adam = {};
  double l2 = 0;  // added to the gradient
  DecayScales l2_scales = {};
};
Transform adam(const AdamL2Options& options);

/// AdamW as in its paper: learning rate and decay do not multiply, a schedule scales both.
struct DecoupledAdamWOptions {
  Schedule learning_rate;  // constant in the paper
  Schedule update_schedule;
  int first_step = 1;
  AdamOptions adam = {};
  double weight_decay = 0;
  DecayScales decay_scales = {};
};
Transform decoupled_adamw(const DecoupledAdamWOptions& options);

struct LionOptions {
  Schedule learning_rate;
  LearningRateOptions rate = {};
  LionMoments moments = {};
  bool multiply_by_parameter_scale = false;
  double weight_decay = 0;
  DecayScales decay_scales = {};
};
Transform lion(const LionOptions& options);

/// AdamW whose updates are as large as the parameters.
struct LambOptions {
  Schedule learning_rate;
  LearningRateOptions rate = {};
  AdamOptions adam = {.b1 = 0.9, .b2 = 0.999, .eps = 1e-6};
  double weight_decay = 0;
  DecayScales decay_scales = {};
  TrustRatioOptions trust_ratio = {};
};
Transform lamb(const LambOptions& options);

}  // namespace meshwright::optim
