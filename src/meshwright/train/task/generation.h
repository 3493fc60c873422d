// SPDX-License-Identifier: Apache-2.0
// Inputs and outputs of tasks that generate sequences.
#pragma once

#include <cstdint>
#include <optional>

#include "meshwright/autodiff/tree_grad.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/graph/random/key.h"

namespace meshwright::train {

struct GenerateOptions {
  /// Maximum length of a continuation, including the end token.
  std::int64_t max_tokens = 64;
  /// Allow fewer tokens if the model has too few positions after the prompt; otherwise that is an
  /// error.
  bool may_be_shorter = false;
  /// Token that ends a sequence. If absent, only max_tokens ends it.
  std::optional<std::int32_t> end_token = {};
  /// Divisor of the logits. 0: greedy decoding.
  double temperature = 0;
  std::optional<std::int64_t> top_k = {};
  std::optional<double> top_p = {};
  /// Number of beams for beam search. If absent, samples.
  std::optional<std::int64_t> num_beams = {};
};

struct GenerateInput {
  const autodiff::ValueTree& params;
  graph::Value prompts;  // s32 batch len
  graph::Value lengths;  // s32 batch: number of valid tokens per row
  graph::random::Key key;
};

/// Continuations of each prompt, best first.
struct Continuations {
  graph::Value ids;      // s32 batch alternatives len
  graph::Value starts;   // s32 batch: index in ids of the first generated token
  graph::Value lengths;  // s32 batch alternatives: index of the end, after any end token
  graph::Value scores;   // f32 batch alternatives: log probabilities, length-normalised in beam
                         // search
};

}  // namespace meshwright::train
