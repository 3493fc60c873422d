// SPDX-License-Identifier: Apache-2.0
// Handling of prompts, shared by all decoding methods.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "meshwright/models/decoding.h"

namespace meshwright::models {

/// Throws invalid_argument, naming `function`, unless prompts and lengths are valid and fit in
/// max_len.
void check_prompts(std::string_view function,
                   const Value& prompts,
                   const Value& lengths,
                   const DecodeOptions& options);

/// Returns the prompts followed by padding, [batch, max_len].
Value padded_prompts(Value prompts, Value lengths, const DecodeOptions& options);

/// Returns for each token whether it is one of these.
Value is_one_of(Value tokens, const std::vector<std::int32_t>& wanted);

/// Adds all positions of `prompts` except the last to the cache at once. The decoding loop
/// overwrites the cache entries of padding before it reads them.
void read_prompts(const DecodeModel& model, Value prompts, std::vector<Value>& cache);

}  // namespace meshwright::models
