// SPDX-License-Identifier: Apache-2.0
// Optimizers and schedules that are compared with those of other systems: each case has its twin of
// the same name in reference_optimizers.py or a file of tests/golden.
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
/// Of a family each; all take parity_specs().
std::vector<ParityCase> chain_cases();
std::vector<ParityCase> adafactor_cases();
std::vector<ParityCase> axlearn_cases();
std::vector<ParityCase> t5x_cases();
/// Big Vision's chains are made for certain parameters, whose paths are those of parity_specs().
std::vector<ParityCase> big_vision_cases(const ParamSpecs& specs);
/// All of them, and one by its name.
std::vector<ParityCase> optimizer_cases();
ParityCase optimizer_case(const std::string& name);

/// Parameters of all the shapes that optimizers tell apart.
ParamSpecs parity_specs();
/// Up in 5 steps and down by a cosine until step 30.
Schedule parity_rate(double peak);

struct ScheduleCase {
  std::string name;
  Schedule schedule;
};
/// Those that AXLearn has too, and others.
std::vector<ScheduleCase> axlearn_schedule_cases();
std::vector<ScheduleCase> t5x_schedule_cases();
std::vector<ScheduleCase> big_vision_schedule_cases();
std::vector<ScheduleCase> seqax_schedule_cases();
std::vector<ScheduleCase> optax_schedule_cases();

}  // namespace meshwright::optim
