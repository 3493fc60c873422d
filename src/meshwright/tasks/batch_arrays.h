// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "meshwright/train/task.h"

namespace meshwright::tasks {

inline graph::Value array(const train::ValueTree& batch, std::string_view name) {
  return batch.at(name).value();
}

/// What each of `num_rows` examples counts: 0 for padding; 1 where nothing is said.
graph::Value example_weights(const train::ValueTree& batch, std::int64_t num_rows);

}  // namespace meshwright::tasks
