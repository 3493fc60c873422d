// SPDX-License-Identifier: Apache-2.0
// Axes: batch, len (positions of the inputs).
#include "meshwright/tasks/sample_prompts.h"

#include <algorithm>

#include "meshwright/data/core/lm_batch.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"

namespace meshwright::tasks {
namespace {

using graph::Value;

// Returns the number of inputs at the beginning of each row up to the first where `holds` is false.
Value num_leading(const Value& holds) {
  const std::int64_t len = holds.dim(1);
  const Value position = graph::iota(s32, holds.dims(), 1);
  return graph::reduce_min(graph::where(holds, len, position), {1});
}

// Returns lengths of prompts from the first document of each row.
Value lengths_in_documents(const Value& segments, const Value& weights) {
  const Value first = graph::take_slice(segments, 1, 0, 1);
  const Value document = num_leading(graph::equal(segments, first));
  // Target i is the token after input i.
  const Value not_learnt = num_leading(graph::equal(weights, 0));
  const Value quarter = graph::minimum(document / 2, graph::constant(segments.dim(1) / 4, s32));
  const Value has_question = graph::logical_and(not_learnt > 0, not_learnt < document);
  return graph::where(has_question, not_learnt + 1, quarter);
}

}  // namespace

Prompts sample_prompts(const train::TaskInput& input) {
  const Value inputs = input.array(data::kInputs);
  const std::int64_t rows = inputs.dim(0), len = inputs.dim(1);
  if (input.batch.find(data::kSegments) == nullptr) {
    const std::int64_t quarter = std::max<std::int64_t>(1, len / 4);
    return {graph::take_slice(inputs, 1, 0, quarter), graph::constant(quarter, s32, {rows})};
  }
  const std::int64_t most = std::max<std::int64_t>(1, len * 3 / 4);
  const Value lengths =
      lengths_in_documents(input.array(data::kSegments), input.array(data::kWeights));
  return {graph::take_slice(inputs, 1, 0, most),
          graph::minimum(graph::maximum(lengths, 1), graph::constant(most, s32))};
}

}  // namespace meshwright::tasks
