// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/nn/context.h"
#include "meshwright/train/task/task.h"

namespace meshwright::train {

/// Adds the outputs that modules recorded in their context to a task's loss: new values of
/// parameters, and summaries under "model/PATH". Scalar summaries become metrics, with weight 1 by
/// default, and arrays become histograms.
void add_outputs(const nn::Outputs& outputs, TaskLoss& loss);

/// True if a metric is a summary of a module. The console omits these, since there may be hundreds.
bool is_summary(std::string_view metric);

}  // namespace meshwright::train
