// SPDX-License-Identifier: Apache-2.0
// Continuing sequences token by token, as one loop in the program.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "meshwright/graph/core/value.h"
#include "meshwright/graph/random/key.h"
#include "meshwright/nn/context.h"

namespace meshwright::models {

using graph::Value;

/// A language model as decoding sees it.
struct DecodeModel {
  /// Logits (rows len vocab) of ids (rows len), the first of which stands at position `at`; what
  /// the model keeps of earlier positions is in the cache, to which these positions are added.
  using Step = std::function<Value(Value ids, Value at, std::vector<Value>& cache)>;
  Step step;
  /// Arrays whose second dimension is the rows, with room for DecodeOptions::max_len positions.
  std::vector<Value> cache;
};

struct DecodeOptions {
  /// Of prompt and continuation together.
  std::int64_t max_len = 0;
  /// Of a continuation, with the end token; absent: what max_len leaves room for.
  std::optional<std::int64_t> max_tokens = {};
  /// Ends a sequence, and belongs to it; absent: only max_len ends one.
  std::optional<std::int32_t> end_token = {};
  /// Fills the places after the end.
  std::int32_t pad_token = 0;
};

struct SampleOptions : DecodeOptions {
  /// Logits are divided by it; 0: the likeliest token always.
  double temperature = 1.0;
  /// Only so many likeliest tokens are drawn from; absent: all. Applied before top_p.
  std::optional<std::int64_t> top_k = {};
  /// Only the fewest likeliest tokens whose probabilities sum up to this are drawn from.
  std::optional<double> top_p = {};
};

struct Decoded {
  Value ids;        // s32 [batch, max_len], prompts included
  Value lengths;    // s32 [batch], prompts and end token included
  Value log_probs;  // f32 [batch], of the continuation: under the model, whatever the temperature
};

/// Continues `prompts`, s32 [batch, len] of which the first `prompt_lengths` (s32 [batch], at least
/// 1) count in each row. Stops when all rows have ended. Throws invalid_argument for options
/// that make no sense and if a random choice is asked for without a key.
Decoded sample(const DecodeModel& model,
               Value prompts,
               Value prompt_lengths,
               const SampleOptions& options,
               const graph::random::Key& key = {});

struct BeamOptions : DecodeOptions {
  std::int64_t num_beams = 4;
  /// Scores are log probabilities over ((5 + length) / 6)^alpha, the length that of the
  /// continuation.
  double length_alpha = 0.6;
};

struct Beams {
  Value ids;      // s32 [batch, beams, max_len], the best first
  Value lengths;  // s32 [batch, beams]
  Value scores;   // f32 [batch, beams]
};

/// The likeliest continuations that a beam search finds. The rows of the model are batch * beams,
/// those of one prompt beside each other; the cache has room for these.
Beams beam_search(const DecodeModel& model,
                  Value prompts,
                  Value prompt_lengths,
                  const BeamOptions& options);

}  // namespace meshwright::models
