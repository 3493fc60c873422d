// SPDX-License-Identifier: Apache-2.0
// Derives the inputs of a run's compiled programs from its config.
#pragma once

#include <string>
#include <vector>

#include "meshwright/nn/initial_values.h"
#include "meshwright/train/step/step_program.h"
#include "meshwright/train/trainer/job.h"

namespace meshwright::train {

nn::InitRules init_rules(const TrainConfig& config);
/// Returns a warning for each rule that matches no parameter.
std::vector<std::string> init_warnings(const nn::InitRules& rules, const ParamSpecs& params);

/// Returns the setup from which the job's programs are traced. The job must outlive it.
TrainingSetup setup_of(const Job& job);

}  // namespace meshwright::train
