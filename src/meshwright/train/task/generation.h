// SPDX-License-Identifier: Apache-2.0
// What tasks that continue sequences are asked for, and give.
#pragma once

#include <cstdint>
#include <optional>

#include "meshwright/autodiff/tree_grad.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/graph/random/key.h"

namespace meshwright::train {

struct GenerateOptions {
  /// Of a continuation, with the end token.
  std::int64_t max_tokens = 64;
  /// Fewer where the model has no more positions after the prompt; else that is an error.
  bool may_be_shorter = false;
  /// Ends a sequence; absent: only max_tokens does.
  std::optional<std::int32_t> end_token = {};
  /// Logits are divided by it; 0: the likeliest token always.
  double temperature = 0;
  std::optional<std::int64_t> top_k = {};
  std::optional<double> top_p = {};
  /// Beam search instead, with so many beams.
  std::optional<std::int64_t> num_beams = {};
};

struct GenerateInput {
  const autodiff::ValueTree& params;
  graph::Value prompts;  // s32 batch len
  graph::Value lengths;  // s32 batch: so many of each row count
  graph::random::Key key;
};

/// Continuations of each prompt, the best first.
struct Continuations {
  graph::Value ids;      // s32 batch alternatives len
  graph::Value starts;   // s32 batch: where they begin in ids
  graph::Value lengths;  // s32 batch alternatives: where they end, end tokens included
  graph::Value scores;   // f32 batch alternatives: log probabilities; beam search weighs lengths
};

}  // namespace meshwright::train
