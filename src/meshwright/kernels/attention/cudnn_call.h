// SPDX-License-Identifier: Apache-2.0
// The calls that XLA passes on to cuDNN's attention. Arrays are [batch, len, heads, dim]; head h
// uses the key head h / (heads / key heads). Internal to kernels/attention.
#pragma once

#include <cstdint>
#include <vector>

#include "meshwright/graph/core/value.h"

namespace meshwright::kernels {

/// The keys that a query sees.
struct CudnnMask {
  bool causal = false;
  std::int64_t window = 0;  // 0: none
  /// Null, or the s32 numbers of queries and keys before the padding: [batch] or, for documents,
  /// of all documents of all rows, in order.
  graph::Value query_lengths = {}, key_lengths = {};
  /// Null, or the offsets of the documents in the queries and the keys, in elements.
  graph::Value query_offsets = {}, key_offsets = {};
  std::int64_t documents_per_row = 1;  // at most, on average
};

struct CudnnInput {
  graph::Value q, k, v;
  graph::Value bias = {};  // bf16 [1, heads, len, src]; may be null
  CudnnMask mask = {};
};

struct CudnnOutput {
  graph::Value out;       // like q
  graph::Value log_sums;  // f32 [batch times documents_per_row, heads, len]
};

struct CudnnGradients {
  graph::Value q, k, v, bias;  // `bias` is null if there is none
};

CudnnOutput call_cudnn_attention(const CudnnInput& in);
CudnnGradients call_cudnn_attention_gradient(const CudnnInput& in,
                                             const CudnnOutput& forward,
                                             graph::Value given);

}  // namespace meshwright::kernels
