// SPDX-License-Identifier: Apache-2.0
// Converts a run's config to the options of its compiled programs.
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

/// Returns the setup that the job's programs are traced from. The job must outlive it.
TrainingSetup setup_of(const Job& job);
StepOptions step_options(const TrainConfig& config);

}  // namespace meshwright::train
