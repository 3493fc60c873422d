// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tasks/batch_arrays.h"

#include "meshwright/data/core/source.h"
#include "meshwright/graph/ops/basic.h"

namespace meshwright::tasks {

graph::Value example_weights(const train::ValueTree& batch, std::int64_t num_rows) {
  if (const train::ValueTree* weights = batch.find(data::kExampleWeight)) return weights->value();
  return graph::constant(1.0, f32, {num_rows});
}

}  // namespace meshwright::tasks
