// SPDX-License-Identifier: Apache-2.0
// Cases of attention, with conditions in every form and as a mask that shows the same keys.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernel_testutil.h"
#include "meshwright/autodiff/grad.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/gather.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/kernels/attention/attention.h"

namespace meshwright::kernels {

using graph::Value;
using spmd::Input;

struct Shape {
  std::int64_t batch, len, src, kv, q, dim;
};

/// Returns the segment of position i in a row.
using SegmentOf = std::int64_t (*)(std::int64_t row, std::int64_t i);

inline std::int64_t three_documents(std::int64_t row, std::int64_t i) {
  return i < 17 + row ? 1 : i < 40 ? 2 : i < 90 ? 3 : 0;
}
inline std::int64_t short_documents(std::int64_t row, std::int64_t i) {
  return 1 + i / (3 + row);
}
inline std::int64_t single_tokens(std::int64_t, std::int64_t i) {
  return i;
}
inline std::int64_t in_disorder(std::int64_t row, std::int64_t i) {
  return (i * i + 3 * row) % 7 - 2;
}
inline std::int64_t padding(std::int64_t, std::int64_t) {
  return 0;
}
inline std::int64_t one_run_twice(std::int64_t, std::int64_t i) {
  return i < 60 || i > 150 ? 5 : 9;
}
/// Most of the queries have no key.
inline std::int64_t far_ahead(std::int64_t, std::int64_t i) {
  return i + 30;
}

struct Case {
  Shape shape;
  SegmentOf segments = nullptr;
  SegmentOf key_segments = nullptr;  ///< null: those of the queries
  bool causal = false;
  bool has_prefix = false;
  std::int64_t window = 0;
  bool has_lengths = false;
  bool has_mask = false, has_bias = false, has_distance_bias = false;
  double p = 1;  ///< less than 1: keep probability of dropout
  DType dtype = f32;
};

inline HostTensor segments_of(SegmentOf segment, std::int64_t batch, std::int64_t len) {
  HostTensor out({s32, {batch, len}});
  auto values = out.mutable_values<std::int32_t>();
  for (std::int64_t i = 0; i < batch * len; ++i)
    values[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(segment(i / len, i % len));
  return out;
}

inline bool mask_at(std::int64_t row, std::int64_t query, std::int64_t key) {
  return (row * 5 + query * 7 + key * 13) % 5 < 3;
}

inline std::int64_t prefix_of(std::int64_t row) {
  return 50 * row;
}

/// Row 0 has only padding, of which attention takes the first key.
inline std::int64_t length_of(std::int64_t row) {
  return 37 * row;
}

/// Returns a mask [batch, len, src] by a rule of batch row, query and key.
template <typename Rule>
HostTensor mask_of(const Shape& s, const Rule& is_seen) {
  HostTensor mask({pred, {s.batch, s.len, s.src}});
  auto* byte = reinterpret_cast<std::uint8_t*>(mask.mutable_data());
  for (std::int64_t b = 0; b < s.batch; ++b)
    for (std::int64_t i = 0; i < s.len; ++i)
      for (std::int64_t j = 0; j < s.src; ++j)
        *byte++ = is_seen(b, i, j) ? 1 : 0;
  return mask;
}

inline HostTensor all_conditions(const Case& c) {
  const SegmentOf keys = c.key_segments == nullptr ? c.segments : c.key_segments;
  return mask_of(c.shape, [&](std::int64_t b, std::int64_t i, std::int64_t j) {
    bool is_seen = !c.causal || j <= i || (c.has_prefix && j < prefix_of(b));
    if (c.window > 0) is_seen = is_seen && i - j < c.window;
    if (c.has_lengths) is_seen = is_seen && (j == 0 || j < length_of(b));
    return is_seen && (c.segments == nullptr || c.segments(b, i) == keys(b, j)) &&
           (!c.has_mask || mask_at(b, i, j));
  });
}

inline HostTensor of_rows(std::int64_t batch, std::int64_t (*number)(std::int64_t row)) {
  HostTensor out({s32, {batch}});
  for (std::int64_t row = 0; row < batch; ++row)
    out.mutable_values<std::int32_t>()[static_cast<std::size_t>(row)] =
        static_cast<std::int32_t>(number(row));
  return out;
}

/// q, k, v, weights of the result, bias, all conditions as a mask, the case's own mask, segments of
/// queries and of keys, lengths of prefixes, bias by distance, lengths of keys.
inline std::vector<Input> inputs_of(const Case& c, const mesh::Sharding& lies = {}) {
  const Shape& s = c.shape;
  const SegmentOf of_queries = c.segments == nullptr ? padding : c.segments;
  return {
      {spmd::random_array({s.batch, s.len, s.kv, s.q, s.dim}, 1), lies},
      {spmd::random_array({s.batch, s.src, s.kv, s.dim}, 2), lies},
      {spmd::random_array({s.batch, s.src, s.kv, s.dim}, 3), lies},
      {spmd::random_array({s.batch, s.len, s.kv, s.q, s.dim}, 4), lies},
      {spmd::random_array({s.kv, s.q, s.len, s.src}, 5), {}},
      {all_conditions(c), lies},
      {mask_of(s, mask_at), lies},
      {segments_of(of_queries, s.batch, s.len), lies},
      {segments_of(c.key_segments == nullptr ? of_queries : c.key_segments, s.batch, s.src), lies},
      {of_rows(s.batch, prefix_of), lies},
      {spmd::random_array({s.kv, s.q, s.len + s.src - 1}, 6), {}},
      {of_rows(s.batch, length_of), lies}};
}

struct Form {
  bool is_formula = false;
  bool by_mask = false;  ///< the conditions as a mask
};
inline constexpr Form kKernel{}, kMask{.by_mask = true},
    kFormula{.is_formula = true, .by_mask = true};

inline Value looked_up(Value by_distance, const Shape& s) {
  Value distance = graph::iota(s32, {s.len, s.src}, 1) - graph::iota(s32, {s.len, s.src});
  return graph::take(by_distance, distance + (s.len - 1), 2);
}

inline Value attended(Form form,
                      const Case& c,
                      std::span<const Value> of,
                      std::span<const Value> in) {
  AttentionOptions options;
  if (c.has_bias) options.bias = of[3];
  if (c.has_distance_bias) {
    if (form.is_formula)
      options.bias = looked_up(of[3], c.shape);
    else
      options.distance_bias = of[3];
  }
  if (c.p < 1) options.dropout = Drawing{graph::random::key(11), c.p};
  if (form.by_mask) {
    options.mask = in[5];
  } else {
    options.causal = c.causal;
    options.window = c.window;
    if (c.has_prefix) options.prefix = in[9];
    if (c.has_lengths) options.key_lengths = in[11];
    if (c.has_mask) options.mask = in[6];
    if (c.segments != nullptr) options.segments = in[7];
    if (c.key_segments != nullptr) options.key_segments = in[8];
  }
  if (!form.is_formula) return graph::cast(attention(of[0], of[1], of[2], options), f32);
  Value probs = attention_probabilities(of[0], of[1], options.mask, options.bias);
  if (options.dropout) probs = dropout(probs, *options.dropout);
  return graph::cast(weighted_values(probs, of[2]), f32);
}

/// Returns the result and, weighted with the fourth input, the gradients of q, k, v and the bias.
inline std::vector<Value> results(Form form, const Case& c, std::span<const Value> in) {
  std::vector<Value> of = {graph::cast(in[0], c.dtype), graph::cast(in[1], c.dtype),
                           graph::cast(in[2], c.dtype)};
  if (c.has_bias) of.push_back(in[4]);
  if (c.has_distance_bias) of.push_back(in[10]);
  std::vector<Value> out = {attended(form, c, of, in)};
  auto loss = [&](std::span<const Value> args) {
    return graph::reduce_sum(attended(form, c, args, in) * in[3], {0, 1, 2, 3, 4});
  };
  for (Value gradient : autodiff::grad(loss, of))
    out.push_back(graph::cast(gradient, f32));
  return out;
}

}  // namespace meshwright::kernels
