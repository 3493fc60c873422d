// SPDX-License-Identifier: Apache-2.0
// What all ways of decoding do with their prompts.
#pragma once

#include <string_view>
#include <vector>

#include "meshwright/models/decoding.h"

namespace meshwright::models {

/// Throws invalid_argument, naming `function`, unless these are prompts, their lengths, and there
/// is room for them.
void check_prompts(std::string_view function,
                   const Value& prompts,
                   const Value& lengths,
                   const DecodeOptions& options);

/// [batch, max_len] with padding behind each prompt.
Value padded_prompts(Value prompts, Value lengths, const DecodeOptions& options);

/// Puts the prompts into the cache, all positions at once, but for the last one, whose logits the
/// first step of the loop computes. What padding leaves there is overwritten before it is seen.
void read_prompts(const DecodeModel& model, Value prompts, std::vector<Value>& cache);

}  // namespace meshwright::models
