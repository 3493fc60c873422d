// SPDX-License-Identifier: Apache-2.0
// Batches for decoder language models: arrays [batch len].
//
// A row may hold several documents. Then `segments` numbers them from 1, in order, with 0 for
// padding, and `positions` counts from 0 within each. Tokens attend to their own segment only. The
// weight of a target that belongs to another segment than its input is 0. The source sets all of
// these; models and tasks use the arrays that a batch has. A row then has the loss and the
// gradients of its documents in rows of their own.
#pragma once

#include <string_view>

#include "meshwright/data/core/source.h"

namespace meshwright::data {

inline constexpr std::string_view kInputs = "inputs";    // s32: input tokens
inline constexpr std::string_view kTargets = "targets";  // s32: the next token at each position
inline constexpr std::string_view kWeights = "weights";  // f32: weight of each target in the loss

// Optional, both or neither:
inline constexpr std::string_view kSegments = "segments";    // s32: document of each input
inline constexpr std::string_view kPositions = "positions";  // s32: position in the document

/// True for arrays that weight examples or tokens: "weights" and "example_weight". These are never
/// cast to a narrower dtype.
inline bool is_weights(std::string_view name) {
  return name == kWeights || name == kExampleWeight;
}

struct LmBatchLayout {
  bool has_segments = false;  // and positions
};

inline BatchSpec lm_batch_spec(std::int64_t batch_size,
                               std::int64_t length,
                               LmBatchLayout layout = {}) {
  BatchSpec out;
  out[kInputs] = array_spec(s32, {batch_size, length}, "batch len");
  out[kTargets] = array_spec(s32, {batch_size, length}, "batch len");
  out[kWeights] = array_spec(f32, {batch_size, length}, "batch len");
  if (layout.has_segments) {
    out[kSegments] = array_spec(s32, {batch_size, length}, "batch len");
    out[kPositions] = array_spec(s32, {batch_size, length}, "batch len");
  }
  return out;
}

/// Returns arrays that match lm_batch_spec(), filled with zeros.
inline Batch empty_lm_batch(std::int64_t num_rows, std::int64_t length, LmBatchLayout layout = {}) {
  return map(lm_batch_spec(num_rows, length, layout),
             [](const ArraySpec& spec) { return HostTensor(spec.type); });
}

}  // namespace meshwright::data
