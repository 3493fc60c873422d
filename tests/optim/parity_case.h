// SPDX-License-Identifier: Apache-2.0
// Optimizers and schedules to compare with those of other systems. Each case has a counterpart of
// the same name in reference_optimizers.py or in tests/golden.
#pragma once

#include <string>
#include <vector>

#include "meshwright/optim/learner/learner.h"
#include "meshwright/optim/schedules/schedule.h"

namespace meshwright::optim {

struct ParityCase {
  std::string name;
  LearnerOptions learner;
};
/// Cases by family, for the parameters parity_specs().
std::vector<ParityCase> chain_cases();
std::vector<ParityCase> adafactor_cases();
std::vector<ParityCase> axlearn_cases();
std::vector<ParityCase> t5x_cases();
/// Big Vision's chains depend on the parameters. `specs` must have the paths of parity_specs().
std::vector<ParityCase> big_vision_cases(const ParamSpecs& specs);
/// All cases, and one by name.
std::vector<ParityCase> optimizer_cases();
ParityCase optimizer_case(const std::string& name);

/// Parameters of every shape that optimizers distinguish.
ParamSpecs parity_specs();
/// A warm-up of 5 steps, then a cosine to step 30.
Schedule parity_rate(double peak);

struct ScheduleCase {
  std::string name;
  Schedule schedule;
};
/// Schedules by the system that they are compared with.
std::vector<ScheduleCase> axlearn_schedule_cases();
std::vector<ScheduleCase> t5x_schedule_cases();
std::vector<ScheduleCase> big_vision_schedule_cases();
std::vector<ScheduleCase> seqax_schedule_cases();
std::vector<ScheduleCase> optax_schedule_cases();

}  // namespace meshwright::optim
