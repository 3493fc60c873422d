// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/nn/context.h"
#include "meshwright/train/task/task.h"

namespace meshwright::train {

/// What modules left in their context, for the loss of a task: new values of parameters; summaries
/// under "model/PATH", numbers as metrics (with weight 1 where they have none) and arrays as
/// histograms.
void add_outputs(const nn::Outputs& outputs, TaskLoss& loss);

/// Whether a metric is a summary of a module. There may be hundreds; lines for people omit them.
bool is_summary(std::string_view metric);

}  // namespace meshwright::train
