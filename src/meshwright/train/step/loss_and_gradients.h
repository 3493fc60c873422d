// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "meshwright/optim/learner/learner.h"
#include "meshwright/train/step/step_program.h"
#include "meshwright/train/task/task.h"

namespace meshwright::train {

/// Casts the floating-point arrays to `dtype`, if given. Gradients have the dtype of the uncast
/// arrays.
ValueTree cast_floats(const ValueTree& tree, std::optional<DType> dtype);
/// Like cast_floats(), but leaves the weights of a batch (data::is_weights()) unchanged: sums of
/// thousands of them would be inexact in bf16.
ValueTree cast_inputs(const ValueTree& batch, std::optional<DType> dtype);

/// A loss and its gradients with respect to the parameters that the optimizer updates.
struct LossAndGradients {
  TaskLoss loss;
  ValueTree gradients;
};

/// Input of a loss, with the key for the parameter noise.
struct NoisyInput {
  TaskInput input;
  graph::random::Key noise_key;
};

/// Computes the result for the whole batch in `num_microbatches` sequential microbatches, using the
/// memory of one. Microbatches are weighted by the weights of their losses, and each has its own
/// keys. State updates and histograms come from the last one. Throws invalid_argument if the batch
/// cannot be split into equal microbatches.
LossAndGradients loss_and_gradients(const TrainingSetup& setup,
                                    const NoisyInput& noisy,
                                    const StepOptions& options);

}  // namespace meshwright::train
