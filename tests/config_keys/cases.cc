// SPDX-License-Identifier: Apache-2.0
#include "key_case.h"

namespace meshwright::config_keys {

Cases cases() {
  Cases out;
  for (Cases (*area)() :
       {run_cases, loop_cases, policy_cases, checkpoint_cases, evaluator_cases, init_state_cases,
        mesh_cases, task_cases, data_cases, optimizer_cases, adafactor_cases, big_vision_cases,
        schedule_cases, learner_cases, initial_values_cases}) {
    for (SectionCases& section : area())
      out.push_back(std::move(section));
  }
  return out;
}

}  // namespace meshwright::config_keys
