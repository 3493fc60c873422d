// SPDX-License-Identifier: Apache-2.0
// Attention in plain ops. Internal to kernels/attention.
#pragma once

#include <cstdint>
#include <vector>

#include "meshwright/graph/core/value.h"
#include "meshwright/kernels/attention/attention.h"

namespace meshwright::kernels {

/// Returns the conditions of `options` as a mask [len, src] or [batch, len, src]; null if there are
/// none. If queries or keys are a part of all, `first_query` or `first_key` is the index of the
/// first one; then mask and segments in `options` must be those of this part.
graph::Value mask_of(std::int64_t num_queries,
                     std::int64_t num_keys,
                     const AttentionOptions& options,
                     graph::Value first_query = {},
                     graph::Value first_key = {});

/// Returns a mask [len, src] or [batch, len, src] that broadcasts to [batch, kv, q, len, src].
graph::Value for_heads(graph::Value mask);

/// Computes all scores at once.
graph::Value attention_formula(graph::Value q,
                               graph::Value k,
                               graph::Value v,
                               const AttentionOptions& options);

struct AttentionGradients {
  graph::Value q, k, v;
  graph::Value bias = {};  // null if there is none

  std::vector<graph::Value> all() const {
    std::vector<graph::Value> out = {q, k, v};
    if (!bias.is_null()) out.push_back(bias);
    return out;
  }
};

/// Returns the gradients, given that of the result. Written by hand, since a reference has plain
/// ops only. Recomputes the probabilities.
AttentionGradients attention_gradient_formula(graph::Value q,
                                              graph::Value k,
                                              graph::Value v,
                                              const AttentionOptions& options,
                                              graph::Value given);

}  // namespace meshwright::kernels
