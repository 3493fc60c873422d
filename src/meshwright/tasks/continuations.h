// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "meshwright/models/decoding.h"
#include "meshwright/train/task/generation.h"

namespace meshwright::tasks {

/// Returns a decoding model for `num_copies` adjacent copies of each prompt and sequences of
/// `max_len` positions.
using MakeDecodeModel =
    std::function<models::DecodeModel(std::int64_t num_copies, std::int64_t max_len)>;

/// The prompts that a decoder continues.
struct Prompts {
  graph::Value ids;      // s32 batch len
  graph::Value lengths;  // s32 batch
};

/// Continues the prompts by sampling or beam search, depending on the options.
train::Continuations continue_prompts(const MakeDecodeModel& model,
                                      const Prompts& prompts,
                                      const graph::random::Key& key,
                                      const train::GenerateOptions& options);

/// Samples in parts: see train::Task. `model` has one row per prompt.
train::Unfinished begin_sampling(const models::DecodeModel& model,
                                 const Prompts& prompts,
                                 const train::GenerateOptions& options);
train::Unfinished continue_sampling(const models::DecodeModel& model,
                                    const train::Unfinished& unfinished,
                                    const train::GenerateInput& input,
                                    const graph::Value& num_tokens,
                                    const train::GenerateOptions& options);

/// Repeats every row `count` times; the copies are adjacent.
graph::Value repeat_rows(graph::Value x, std::int64_t count);

}  // namespace meshwright::tasks
