// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/attention/attention_block.h"

#include <algorithm>

namespace meshwright::kernels {

AttentionSizes attention_sizes(const pjrt::KernelCall& call) {
  auto q = call.input(0).dims, k = call.input(1).dims;
  return {.batch = q[0], .len = q[1], .src = k[1], .kv = q[2], .q = q[3], .dim = q[4]};
}

AttentionExtras::AttentionExtras(const pjrt::KernelCall& call, int first)
    : causal(call.attr<bool>("causal")), window(call.attr<std::int64_t>("window")) {
  for (int i = first; i < call.num_inputs(); ++i) {
    const pjrt::KernelInput input = call.input(i);
    if (input.dtype == pred) {
      mask = input;
    } else if (input.dtype == s32 && input.dims.size() == 1) {
      key_lengths = input;
    } else if (input.dtype == s32) {
      if (query_segments.data == nullptr) query_segments = input;
      key_segments = input;
    } else if (input.dtype == f32) {
      bias = input;
    } else if (!dropping) {
      dropping = dropping_of(call, i);
    }
  }
}

VisibleKeys AttentionExtras::visible_keys(const AttentionSizes& s, std::int64_t b) const {
  VisibleKeys::Conditions out{.causal = causal, .window = window, .num_keys = s.src};
  if (key_lengths.data != nullptr) {
    const std::int64_t length = key_lengths.values<std::int32_t>()[static_cast<std::size_t>(b)];
    out.num_keys = std::clamp<std::int64_t>(length, 1, s.src);
  }
  if (mask.data != nullptr)
    out.mask = reinterpret_cast<const std::uint8_t*>(mask.data) +
               (mask.dims.size() == 3 ? b * s.len * s.src : 0);
  if (query_segments.data != nullptr) {
    out.query_segments = query_segments.values<std::int32_t>().data() + b * s.len;
    out.key_segments = key_segments.values<std::int32_t>().data() + b * s.src;
  }
  return {s.src, out};
}

AttentionBias<const float> AttentionExtras::bias_of(const AttentionSizes& s,
                                                    std::int64_t head,
                                                    std::int64_t query_head) const {
  if (bias.data == nullptr) return {};
  return {bias.values<float>().data() + s.first_score(head, query_head), s.src};
}

ScoreRows AttentionBlock::scores(float* data) const {
  const VisibleKeys::Conditions& seen = visible.conditions();
  const bool has_segments = seen.key_segments != nullptr;
  return {.data = data,
          .row = s.src_room(),
          .rows = rows(),
          .columns = keys.size(),
          .ranges = ranges,
          .mask = seen.mask == nullptr ? nullptr : seen.mask + queries.begin * s.src + keys.begin,
          .mask_row = s.src,
          .bias = bias.at(queries.begin, keys.begin),
          .bias_row = s.src,
          .column_segments = has_segments ? seen.key_segments + keys.begin : nullptr,
          .row_segments = has_segments ? seen.query_segments + queries.begin : nullptr};
}

void AttentionBlock::drop(const Dropping& dropping, const float* x, float* out) const {
  for (std::int64_t i = 0; i < rows(); ++i) {
    const std::int64_t first = first_score + (queries.begin + i) * s.src + keys.begin;
    dropping.drop(first, x + i * s.src_room(), keys.size(), out + i * s.src_room());
  }
}

std::int64_t AttentionBlock::room(const AttentionSizes& s, PackedAs words) {
  return std::max({block_room(s.block(), 0, s.dim, words), block_room(s.block(), 0, s.src, words),
                   block_room(s.src, s.dim, s.block(), words)});
}

void AttentionBlock::by_keys(const Lines& a,
                             const std::uint32_t* packed,
                             float* out,
                             const ScratchParts& scratch) const {
  multiply_block(
      {.rows = rows(),
       .columns = rounded_up(keys.size(), kPanelColumns),
       .inner = s.dim,
       .a = {.lines = a.from(queries.begin, 0)},
       .b = {.packed = packed + (keys.begin - packed_keys.begin) * num_words(words, s.dim)},
       .c = out,
       .c_row = s.src_room(),
       .rows_in_place = true},
      words, scratch);
}

void AttentionBlock::over_keys(const float* weights,
                               const std::uint32_t* packed,
                               float* out,
                               const ScratchParts& scratch) const {
  multiply_block(
      {.rows = rows(),
       .columns = s.dim_room(),
       .inner = keys.size(),
       .a = {.lines = {.data = reinterpret_cast<const std::byte*>(weights), .step = s.src_room()}},
       .b = {.packed = packed + num_words(words, keys.begin - packed_keys.begin) * kPanelColumns,
             .packed_words = num_words(words, packed_keys.size())},
       .c = out,
       .c_row = s.dim_room(),
       .rows_in_place = true},
      words, scratch);
}

void AttentionBlock::over_queries(const float* weights,
                                  const Lines& a,
                                  float* sums,
                                  const ScratchParts& scratch) const {
  multiply_block({.rows = keys.size(),
                  .columns = s.dim,
                  .inner = rows(),
                  .a = {.lines = {.data = reinterpret_cast<const std::byte*>(weights),
                                  .is_inner_dense = false,
                                  .step = s.src_room()}},
                  .b = {.lines = a.from(queries.begin, 0).across()},
                  .c = sums + keys.begin * s.dim_room(),
                  .c_row = s.dim_room(),
                  .add = true,
                  .rows_in_place = true},
                 words, scratch);
}

}  // namespace meshwright::kernels
