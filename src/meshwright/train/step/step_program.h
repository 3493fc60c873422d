// SPDX-License-Identifier: Apache-2.0
// The compiled training programs.
#pragma once

#include <string>
#include <vector>

#include "meshwright/graph/core/program.h"
#include "meshwright/mesh/axis_rules.h"
#include "meshwright/optim/learner/learner.h"
#include "meshwright/train/step/state.h"
#include "meshwright/train/step/step_options.h"
#include "meshwright/train/task/batch_spec.h"
#include "meshwright/train/task/task.h"

namespace meshwright::train {

/// Inputs for tracing the training programs. The task and the placement must outlive it.
struct TrainingSetup {
  /// Throws invalid_argument if the learner, the parameters and the mesh are incompatible.
  TrainingSetup(const Task& its_task,
                const optim::LearnerOptions& options,
                const Placement& its_placement,
                nn::InitRules rules = {});
  TrainingSetup(const TrainingSetup&) = delete;
  TrainingSetup& operator=(const TrainingSetup&) = delete;

  const Task& task;
  const optim::Learner learner;
  const Placement& placement;
  const StateLayout layout;
  const nn::InitRules init_rules;  // override the initial values that parameters declare
};

/// Traces the program that initialises the state. Arguments: the key of the run, u32[2], then the
/// arrays whose paths in the state are `prebuilt`, in that order; they replace initial values. The
/// learner's initial state is derived from prebuilt parameters. Results: the leaves of the state.
graph::Program trace_init(const TrainingSetup& setup,
                          const std::vector<std::string>& prebuilt = {});

struct StepProgram {
  graph::Program program;
  /// Names of the elements of the metrics vector.
  std::vector<std::string> metric_names;
  /// Names of the results after the metrics.
  std::vector<std::string> histogram_names;
};

// Indices of the metrics that every step has.
inline constexpr std::size_t kLossMetric = 0;
inline constexpr std::size_t kWeightMetric = 1;
inline constexpr std::size_t kNumSkippedMetric = 2;  // total in the run, including this step

/// Traces one step. Arguments: the leaves of the state, donated, and of the batch. Results: the
/// leaves of the next state, an f32 vector of metrics, and the f32 arrays for histograms.
StepProgram trace_step(const TrainingSetup& setup,
                       const BatchSpec& batch,
                       const StepOptions& options);

/// Returns the program with arguments that stay valid.
graph::Program without_donation(graph::Program program);

/// Returns the number of floating-point operations that the model requires per step, over all
/// devices: three times as many as the forward pass needs. Rematerialisation is not counted.
double num_step_flops(const TrainingSetup& setup, const BatchSpec& batch);

/// An evaluation program. Arguments: the leaves of the parameters and of the batch, and the key
/// u32[2]; floats are cast to `dtype`, if given. Results: an f32 vector of alternating means and
/// weights, in the order of metric_names, then the leaves of the outputs.
struct EvalProgram {
  graph::Program program;
  std::vector<std::string> metric_names;
  Tree<ArrayType> outputs;
};
EvalProgram trace_eval(const TrainingSetup& setup,
                       const BatchSpec& batch,
                       const EvalMethod& method,
                       std::optional<DType> dtype = {});

}  // namespace meshwright::train
