// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "meshwright/optim/learner/learner.h"
#include "meshwright/train/step/step_program.h"
#include "meshwright/train/task/task.h"

namespace meshwright::train {

/// The arrays of floats in this dtype, if one is given, and the others as they are. Gradients come
/// back in the dtype of what was cast.
ValueTree cast_floats(const ValueTree& tree, std::optional<DType> dtype);
/// The same for a batch, whose weights (data::is_weights) stay as they are: sums of thousands of
/// them would not be exact in bf16.
ValueTree cast_inputs(const ValueTree& batch, std::optional<DType> dtype);

/// A loss with its gradients with respect to the parameters that an optimizer changes.
struct LossAndGradients {
  TaskLoss loss;
  ValueTree gradients;
};

/// A loss with the noise that parameters get while it is computed.
struct NoisyInput {
  TaskInput input;
  graph::random::Key noise_key;
};

/// For `num_microbatches` parts of the batch, one after the other, in the memory of one. The result
/// is that of the whole batch: parts count by the weights of their losses. Each part has keys of
/// its own; state updates and histograms are those of the last part. Throws invalid_argument if the
/// batch cannot be cut into equal parts.
LossAndGradients loss_and_gradients(const TrainingSetup& setup,
                                    const NoisyInput& noisy,
                                    const StepOptions& options);

}  // namespace meshwright::train
