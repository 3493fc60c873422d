// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "meshwright/models/decoding.h"
#include "meshwright/train/task/generation.h"

namespace meshwright::tasks {

/// A model with room for prompts repeated so many times each, one beside the other, and sequences
/// of so many positions.
using MakeDecodeModel =
    std::function<models::DecodeModel(std::int64_t num_copies, std::int64_t max_len)>;

/// What a decoder continues.
struct Prompts {
  graph::Value ids;      // s32 batch len
  graph::Value lengths;  // s32 batch
};

/// Samples or searches, as the options say.
train::Continuations continue_prompts(const MakeDecodeModel& model,
                                      const Prompts& prompts,
                                      const graph::random::Key& key,
                                      const train::GenerateOptions& options);

/// Every row `count` times, one copy beside the other.
graph::Value repeat_rows(graph::Value x, std::int64_t count);

}  // namespace meshwright::tasks
