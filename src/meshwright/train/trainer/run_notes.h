// SPDX-License-Identifier: Apache-2.0
// Console messages about a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "meshwright/data/core/source.h"
#include "meshwright/train/eval/evaluator.h"
#include "meshwright/train/loop/agenda.h"
#include "meshwright/train/report/reporter.h"
#include "meshwright/train/report/run_folder.h"
#include "meshwright/train/step/step_program.h"
#include "meshwright/train/trainer/job.h"

namespace meshwright::train {

/// Writes the config and descriptions of the state and parameters into the run's folder, and keeps
/// a copy of the earlier config. Call this after the state has been checked: a job that does not
/// match the existing run must not replace its config.
void write_descriptions(const Job& job, const StateLayout& layout, const RunFolder& folder);

/// Describes the run on the console and warns about anything unusual.
void describe(const TrainingSetup& setup,
              const std::vector<Evaluator>& evaluators,
              const RunFolder& folder);

inline bool judges_average(const EvaluatorConfig& config, const optim::Learner& learner) {
  return config.use_ema && learner.has_ema();
}

/// Returns text such as "x=f32[8,4] y=f32[8]".
std::string shapes_of(const data::Batch& batch);

/// Reports an evaluator's results to the console and to files.
void tell(Reporter& reporter,
          std::int64_t step,
          const std::string& evaluator,
          const Evaluation& found);

/// Returns the message for a run that was complete before it started. `step` is the step of its
/// checkpoint.
std::string nothing_to_do(std::int64_t step, std::int64_t max_step);

/// Returns the reason why the run ended, such as "reached max_step 300".
std::string why(const Boundary& last);

}  // namespace meshwright::train
