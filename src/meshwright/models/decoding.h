// SPDX-License-Identifier: Apache-2.0
// Decoding: continues sequences token by token in one loop inside the program.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "meshwright/graph/core/value.h"
#include "meshwright/graph/random/key.h"
#include "meshwright/nn/context.h"

namespace meshwright::models {

using graph::Value;

/// A language model as seen by the decoding methods.
struct DecodeModel {
  /// Returns the logits (rows len vocab) for ids (rows len) at positions starting at `at`. Reads
  /// earlier positions from the cache and adds the new ones.
  using Step = std::function<Value(Value ids, Value at, std::vector<Value>& cache)>;
  Step step;
  /// Arrays whose second dimension enumerates rows, with space for max_len positions.
  std::vector<Value> cache;
};

struct DecodeOptions {
  /// Maximum total length of the prompt and the continuation.
  std::int64_t max_len = 0;
  /// Maximum length of a continuation, including the end token. If absent, only max_len limits
  /// it.
  std::optional<std::int64_t> max_tokens = {};
  /// Tokens that end a sequence and count as part of it. If empty, sequences end only at the
  /// length limits.
  std::vector<std::int32_t> end_tokens = {};
  /// Token that fills the positions after the end.
  std::int32_t pad_token = 0;
};

struct SampleOptions : DecodeOptions {
  /// The logits are divided by this number. If it is 0, the most likely token is always picked.
  double temperature = 1.0;
  /// Samples only from the `top_k` most likely tokens. If absent, samples from all. Applied
  /// before `top_p`.
  std::optional<std::int64_t> top_k = {};
  /// Samples only from the smallest set of most likely tokens whose total probability is at least
  /// `top_p`.
  std::optional<double> top_p = {};
};

struct Decoded {
  Value ids;        // s32 [batch, max_len], including prompts
  Value lengths;    // s32 [batch], including the prompt and the end token
  Value log_probs;  // f32 [batch], of the continuation under the model; ignores the temperature
};

/// Continues `prompts`, s32 [batch, len]. Row i has prompt_lengths[i] valid tokens;
/// `prompt_lengths` is s32 [batch], each at least 1. Stops when all rows have ended. Throws
/// invalid_argument for invalid options, or if sampling is requested without a key.
Decoded sample(const DecodeModel& model,
               Value prompts,
               Value prompt_lengths,
               const SampleOptions& options,
               const graph::random::Key& key = {});

/// Samples in progress, as arrays that one program may return and the next one continue.
struct Sampling {
  Value at;         // s32: the position to fill next
  Value ids;        // s32 [batch, max_len], including prompts
  Value lengths;    // s32 [batch], so far
  Value log_probs;  // f32 [batch]
  Value has_ended;  // pred [batch]
  std::vector<Value> cache;

  std::vector<Value> flat() const;
  /// Inverse of flat().
  static Sampling of(std::span<const Value> arrays);
};

/// Reads the prompts. Arguments and errors are those of sample().
Sampling begin_sampling(const DecodeModel& model,
                        Value prompts,
                        Value prompt_lengths,
                        const SampleOptions& options);
/// Samples until position `until`, an s32, or until all rows have ended. Tokens do not depend on
/// how many calls make them. Takes the cache from `sampling`, not from the model.
Sampling continue_sampling(const DecodeModel& model,
                           const Sampling& sampling,
                           Value prompt_lengths,
                           const SampleOptions& options,
                           const graph::random::Key& key,
                           Value until);

struct BeamOptions : DecodeOptions {
  std::int64_t num_beams = 4;
  /// Scores are log probabilities divided by ((5 + length) / 6)^length_alpha, where length is the
  /// length of the continuation.
  double length_alpha = 0.6;
};

struct Beams {
  Value ids;      // s32 [batch, beams, max_len], best first
  Value lengths;  // s32 [batch, beams]
  Value scores;   // f32 [batch, beams]
};

/// Returns the most likely continuations found by beam search. The model must have batch * beams
/// rows, with the rows of each prompt adjacent, and a cache for all rows.
Beams beam_search(const DecodeModel& model,
                  Value prompts,
                  Value prompt_lengths,
                  const BeamOptions& options);

}  // namespace meshwright::models
