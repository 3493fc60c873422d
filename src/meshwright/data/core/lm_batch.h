// SPDX-License-Identifier: Apache-2.0
// Batches for decoder language models: three arrays [batch len].
#pragma once

#include <string_view>

#include "meshwright/data/core/source.h"

namespace meshwright::data {

inline constexpr std::string_view kInputs = "inputs";    // s32: input tokens
inline constexpr std::string_view kTargets = "targets";  // s32: the next token at each position
inline constexpr std::string_view kWeights = "weights";  // f32: weight of each target in the loss

/// True for arrays that weight examples or tokens: "weights" and "example_weight". These are never
/// cast to a narrower dtype.
inline bool is_weights(std::string_view name) {
  return name == kWeights || name == kExampleWeight;
}

inline BatchSpec lm_batch_spec(std::int64_t batch_size, std::int64_t length) {
  BatchSpec out;
  out[kInputs] = array_spec(s32, {batch_size, length}, "batch len");
  out[kTargets] = array_spec(s32, {batch_size, length}, "batch len");
  out[kWeights] = array_spec(f32, {batch_size, length}, "batch len");
  return out;
}

/// Returns arrays that match lm_batch_spec(), filled with zeros.
inline Batch empty_lm_batch(std::int64_t num_rows, std::int64_t length) {
  return map(lm_batch_spec(num_rows, length),
             [](const ArraySpec& spec) { return HostTensor(spec.type); });
}

}  // namespace meshwright::data
