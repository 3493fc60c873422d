// SPDX-License-Identifier: Apache-2.0
// Inputs and outputs of tasks that generate sequences.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "meshwright/autodiff/tree_grad.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/graph/random/key.h"

namespace meshwright::train {

struct GenerateOptions {
  /// Maximum length of a continuation, including an end token.
  std::int64_t max_tokens = 64;
  /// Allow fewer tokens if the model has too few positions after the prompt; otherwise that is an
  /// error.
  bool may_be_shorter = false;
  /// Tokens that end a sequence. If empty, only max_tokens ends it.
  std::vector<std::int32_t> end_tokens = {};
  /// Divisor of the logits. 0: greedy decoding.
  double temperature = 0;
  std::optional<std::int64_t> top_k = {};
  std::optional<double> top_p = {};
  /// Number of beams for beam search. If absent, samples.
  std::optional<std::int64_t> num_beams = {};
};

struct GenerateInput {
  const autodiff::ValueTree& params;
  graph::Value prompts;  // s32 batch len; null to continue
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

/// Continuations in progress, as arrays that one program returns and the next one continues.
struct Unfinished {
  graph::Value ids;        // s32 batch len, including prompts
  graph::Value lengths;    // s32 batch: index of the end so far
  graph::Value scores;     // f32 batch
  graph::Value has_ended;  // pred batch
  std::vector<graph::Value> rest;

  std::vector<graph::Value> flat() const {
    std::vector<graph::Value> out = {ids, lengths, scores, has_ended};
    out.insert(out.end(), rest.begin(), rest.end());
    return out;
  }
  /// Inverse of flat().
  static Unfinished of(std::span<const graph::Value> v) {
    return {v[0], v[1], v[2], v[3], {v.begin() + 4, v.end()}};
  }
};

}  // namespace meshwright::train
