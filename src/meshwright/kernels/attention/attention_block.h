// SPDX-License-Identifier: Apache-2.0
// Attention for a block of queries from one head.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "meshwright/kernels/attention/visible_keys.h"
#include "meshwright/kernels/common/ranges.h"
#include "meshwright/kernels/common/scratch.h"
#include "meshwright/kernels/dropout/dropping.h"
#include "meshwright/kernels/product/block_product.h"
#include "meshwright/kernels/simd/panels.h"
#include "meshwright/kernels/simd/softmax.h"
#include "meshwright/pjrt/kernel_call.h"

namespace meshwright::kernels {

// Target number of scores per block. They fit in the L2 cache alongside the keys and values.
inline constexpr std::int64_t kScoresAtATime = 1 << 16;
// Maximum panels of queries per block.
inline constexpr std::int64_t kMostPanels = 8;

struct AttentionSizes {
  std::int64_t batch, len, src, kv, q, dim;

  std::int64_t src_room() const { return rounded_up(src, kPanelColumns); }
  std::int64_t dim_room() const { return rounded_up(dim, kPanelColumns); }
  std::int64_t block() const {
    return std::clamp<std::int64_t>(kScoresAtATime / src_room() / kPanelRows, 1, kMostPanels) *
           kPanelRows;
  }
  std::ptrdiff_t query_row() const { return kv * q * dim; }
  std::ptrdiff_t key_row() const { return kv * dim; }
  std::ptrdiff_t first_query(std::int64_t b, std::int64_t head, std::int64_t query_head) const {
    return b * len * query_row() + (head * q + query_head) * dim;
  }
  std::ptrdiff_t first_key(std::int64_t b, std::int64_t head) const {
    return b * src * key_row() + head * dim;
  }
  /// Returns the offset of a head's scores in an array [kv, q, len, src], or in [batch, kv, q, len,
  /// src] if `head` counts the heads of all batch rows.
  std::ptrdiff_t first_score(std::int64_t head, std::int64_t query_head) const {
    return (head * q + query_head) * len * src;
  }
};

AttentionSizes attention_sizes(const pjrt::KernelCall& call);

/// The bias of one query head, or its gradient.
template <typename Float>
struct AttentionBias {
  Float* data = nullptr;
  std::int64_t src = 0;

  Float* at(std::int64_t query, std::int64_t key) const {
    return data == nullptr ? nullptr : data + query * src + key;
  }
};

/// The attributes and optional operands of a call: a mask (pred), lengths of keys, the segments of
/// queries and keys (s32), the words of a dropout key (u32) and a bias.
struct AttentionExtras {
  bool causal = false;
  std::int64_t window = 0;
  pjrt::KernelInput mask{}, key_lengths{}, query_segments{}, key_segments{}, bias{};
  std::optional<Dropping> dropping{};

  /// Reads the optional operands of a call, which start at operand `first`.
  AttentionExtras(const pjrt::KernelCall& call, int first);
  VisibleKeys visible_keys(const AttentionSizes& s, std::int64_t b) const;
  AttentionBias<const float> bias_of(const AttentionSizes& s,
                                     std::int64_t head,
                                     std::int64_t query_head) const;
};

/// A block of queries from one head, and the keys that they attend to.
struct AttentionBlock {
  Range queries, keys;
  Range packed_keys;    ///< the keys whose panels by_keys() and over_keys() use
  const Range* ranges;  ///< the keys each query attends to, counted from keys.begin
  const AttentionSizes& s;
  PackedAs words;
  const VisibleKeys& visible;
  AttentionBias<const float> bias;
  std::ptrdiff_t first_score;  ///< offset of the head in an array [batch, kv, q, len, src]

  std::int64_t rows() const { return queries.size(); }
  ScoreRows scores(float* data) const;
  /// Applies dropout to an array that has the layout of the scores. `out` may equal `x`.
  void drop(const Dropping& dropping, const float* x, float* out) const;
  /// Returns the number of scratch floats that the products of a block need.
  static std::int64_t room(const AttentionSizes& s, PackedAs words);
  /// Computes out[rows, keys] = a[rows, dim] times the transpose of the keys. `packed` holds the
  /// keys, packed for sums over dim.
  void by_keys(const Lines& a,
               const std::uint32_t* packed,
               float* out,
               const ScratchParts& scratch) const;
  /// Computes out[rows, dim] = weights[rows, keys] times an array [keys, dim]. `packed` holds that
  /// array, packed for sums over src.
  void over_keys(const float* weights,
                 const std::uint32_t* packed,
                 float* out,
                 const ScratchParts& scratch) const;
  /// Adds the transpose of weights[rows, keys] times a[rows, dim] to sums[keys, dim].
  void over_queries(const float* weights,
                    const Lines& a,
                    float* sums,
                    const ScratchParts& scratch) const;
};

}  // namespace meshwright::kernels
