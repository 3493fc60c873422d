// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "meshwright/optim/learner.h"
#include "meshwright/train/step_program.h"
#include "meshwright/train/task.h"

namespace meshwright::train {

/// A loss with its gradients with respect to the parameters that an optimizer changes.
struct LossAndGradients {
  TaskLoss loss;
  ValueTree gradients;
};

/// For `num_microbatches` parts of the batch, one after the other, in the memory of one. The result
/// is that of the whole batch: parts count by the weights of their losses. Each part has a key of
/// its own; state updates are those of the last part. Throws invalid_argument if the batch cannot
/// be cut into equal parts.
LossAndGradients loss_and_gradients(const Setting& setting,
                                    const TaskInput& input,
                                    const StepOptions& options);

}  // namespace meshwright::train
