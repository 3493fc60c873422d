// SPDX-License-Identifier: Apache-2.0
// What optim_parity runs; each case has its twin of the same name in references.py.
#pragma once

#include <string>
#include <vector>

#include "meshwright/optim/learner.h"
#include "meshwright/optim/schedule.h"

namespace meshwright::optim {

struct ParityCase {
  std::string name;
  LearnerOptions learner;
};
/// Of a family each; all take parity_specs().
std::vector<ParityCase> chain_cases();
std::vector<ParityCase> adafactor_cases();
/// Both, and one of them by its name.
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
std::vector<ScheduleCase> schedule_cases();

}  // namespace meshwright::optim
