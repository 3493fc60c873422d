// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/optimizers/optax_adafactor.h"
#include "meshwright/optim/transforms/optim_testutil.h"
#include "parity_case.h"

namespace meshwright::optim {
namespace {

ParityCase of(std::string name, Transform optimizer) {
  return {std::move(name), learn_by(std::move(optimizer))};
}

std::vector<ParityCase> optax_cases() {
  return {
      of("optax_adafactor",
         optax_adafactor({.learning_rate = parity_rate(0.05), .min_dim_size_to_factor = 16})),
      of("optax_adafactor_all", optax_adafactor({.learning_rate = parity_rate(0.05),
                                                 .min_dim_size_to_factor = 20,
                                                 .decay_rate = 0.7,
                                                 .multiply_by_parameter_scale = false,
                                                 .clipping_threshold = std::nullopt,
                                                 .momentum = 0.9,
                                                 .weight_decay = {0.01}})),
  };
}

}  // namespace

std::vector<ParityCase> adafactor_cases() {
  return optax_cases();
}

}  // namespace meshwright::optim
