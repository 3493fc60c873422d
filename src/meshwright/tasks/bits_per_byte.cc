// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tasks/bits_per_byte.h"

#include <numbers>

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/gather.h"
#include "meshwright/graph/sharding/global.h"

namespace meshwright::tasks {
namespace {

using graph::Value;

Value table_of(const std::vector<std::int32_t>& sizes) {
  return graph::constant(HostTensor::from(sizes, {std::ssize(sizes)}));
}

// Tokens that a model has beyond those of the tokenizer have no bytes, and neither have negative
// ones.
Value sizes_of(const Value& tokens, const std::vector<std::int32_t>& sizes) {
  const Value found = graph::take(table_of(sizes), tokens, 0, {.mode = graph::OutOfBounds::clip});
  const Value known = graph::logical_and(tokens >= 0, tokens < std::ssize(sizes));
  return graph::where(known, found, 0);
}

Value sizes_of(const PredictedTokens& tokens, const data::TokenSizes& sizes) {
  const Value inside = sizes_of(tokens.targets, sizes.inside);
  if (sizes.at_start == sizes.inside) return inside;
  const Value starts = graph::equal(sizes_of(tokens.inputs, sizes.inside), 0);
  return graph::where(starts, sizes_of(tokens.targets, sizes.at_start), inside);
}

}  // namespace

train::Weighted bits_per_byte(const train::Weighted& loss,
                              const PredictedTokens& tokens,
                              const data::TokenSizes& sizes) {
  const Value bytes = graph::global_sum(tokens.weights * graph::cast(sizes_of(tokens, sizes), f32));
  const Value bits = loss.mean * loss.weight / std::numbers::ln2;
  return {bits / graph::where(graph::equal(bytes, 0), 1, bytes), bytes};
}

}  // namespace meshwright::tasks
