// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/train/task/task.h"

namespace meshwright::tasks {

/// Returns the weight of each of `num_rows` examples: 0 for padding, 1 by default.
graph::Value example_weights(const train::ValueTree& batch, std::int64_t num_rows);

}  // namespace meshwright::tasks
