// SPDX-License-Identifier: Apache-2.0
// The programs that training consists of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meshwright/base/regex.h"
#include "meshwright/graph/core/program.h"
#include "meshwright/mesh/axis_rules.h"
#include "meshwright/nn/param_noise.h"
#include "meshwright/optim/learner/learner.h"
#include "meshwright/train/step/state.h"
#include "meshwright/train/task/batch_spec.h"
#include "meshwright/train/task/task.h"

namespace meshwright::train {

/// What becomes of an update whose loss or gradients are not finite. It is never applied; that is
/// decided on the devices, with the values all of them have.
enum class NonFinite {
  skip,  // training goes on with the next batch
  halt,  // nothing is applied any more, until the host has noticed and acts
};

/// For parameters; absent: the dtype in which they are kept.
struct DTypeRule {
  Regex pattern;
  std::optional<DType> dtype = {};
};

struct StepOptions {
  /// Gradients are averaged over so many parts of each batch, one after the other.
  std::int64_t num_microbatches = 1;
  /// The gradient of each part is clipped to this global norm before it is averaged with the
  /// others: with as many parts as examples, that of each example.
  std::optional<double> microbatch_clip_norm = {};
  /// Parameters and float inputs in this dtype while the loss is computed.
  std::optional<DType> train_dtype = {};
  /// Instead of it for parameters whose paths match; the first that matches counts.
  std::vector<DTypeRule> train_dtype_rules = {};
  NonFinite non_finite = NonFinite::halt;
  /// Added to parameters while the loss is computed, anew in each step and part.
  std::vector<nn::NoiseRule> param_noise = {};
};

/// What the programs of training are traced from. Task and placement must outlive it.
struct TrainingSetup {
  /// Throws invalid_argument where learner, parameters and mesh do not suit each other.
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
  const nn::InitRules init_rules;  // instead of what parameters declare
};

/// Argument: the key of the run, u32[2]; then the prebuilt arrays, paths of the state in order,
/// which replace initial values: what the learner begins with follows from prebuilt parameters.
/// Results: the state's leaves.
graph::Program trace_init(const TrainingSetup& setup,
                          const std::vector<std::string>& prebuilt = {});

struct StepProgram {
  graph::Program program;
  /// Of the elements of the result after the state.
  std::vector<std::string> metric_names;
  /// Of the results after the metrics.
  std::vector<std::string> histogram_names;
};

// The first metrics of every step.
inline constexpr std::size_t kLossMetric = 0;
inline constexpr std::size_t kWeightMetric = 1;
inline constexpr std::size_t kNumSkippedMetric = 2;  // so far in the run, this one included

/// Arguments: the state's leaves, donated, and the batch's. Results: the next state's leaves, a
/// vector of metrics, f32, and the arrays that histograms are made of, f32.
StepProgram trace_step(const TrainingSetup& setup,
                       const BatchSpec& batch,
                       const StepOptions& options);

/// The floating-point operations of one step that the model needs, over all devices: three times
/// those of the forward pass. What is computed anew to save memory does not count.
double num_step_flops(const TrainingSetup& setup, const BatchSpec& batch);

/// Arguments: the parameters' leaves, the batch's, the key u32[2]; floats are cast to `dtype`, if
/// it is given. Results: a vector f32 of means and weights in turn, in the order of names, then the
/// outputs' leaves.
struct EvalProgram {
  graph::Program program;
  std::vector<std::string> metric_names;
  Tree<ArrayType> outputs;
};
EvalProgram trace_eval(const TrainingSetup& setup,
                       const BatchSpec& batch,
                       const EvalMethod& method,
                       std::optional<DType> dtype = {});

/// Arguments: the parameters' leaves, prompts s32[num_rows, len], their lengths s32[num_rows], the
/// key u32[2]. Results: the members of Continuations.
graph::Program trace_generate(const TrainingSetup& setup,
                              std::int64_t num_rows,
                              std::int64_t len,
                              const GenerateOptions& options);

}  // namespace meshwright::train
