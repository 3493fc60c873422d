// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/attention/attention_block.h"

#include <algorithm>
#include <cstring>

namespace meshwright::kernels {

AttentionSizes attention_sizes(const pjrt::KernelCall& call) {
  auto q = call.input(0).dims, k = call.input(1).dims;
  return {.batch = q[0], .len = q[1], .src = k[1], .kv = q[2], .q = q[3], .dim = q[4]};
}

AttentionExtras::AttentionExtras(const pjrt::KernelCall& call, int first) {
  for (int i = first; i < call.num_inputs(); ++i) {
    const pjrt::KernelInput input = call.input(i);
    if (input.dtype != u32) {
      (input.dtype == pred ? mask : bias) = input;
    } else if (!dropping) {
      dropping = dropping_of(call, i);
    }
  }
}

AttentionMask AttentionExtras::mask_of(const AttentionSizes& s, std::int64_t b) const {
  if (mask.data == nullptr) return {};
  const auto* data = reinterpret_cast<const std::uint8_t*>(mask.data);
  return {data + (mask.dims.size() == 3 ? b * s.len * s.src : 0), s.src};
}

AttentionBias<const float> AttentionExtras::bias_of(const AttentionSizes& s,
                                                    std::int64_t head,
                                                    std::int64_t query_head) const {
  if (bias.data == nullptr) return {};
  return {bias.values<float>().data() + s.first_score(head, query_head), s.src};
}

Range seen_by(const AttentionMask& mask, const AttentionSizes& s, Range queries) {
  if (mask.data == nullptr) return {0, s.src};
  Range seen{s.src, 0};
  for (std::int64_t i = queries.begin; i < queries.end; ++i) {
    const std::uint8_t* row = mask.row(i);
    const auto num_bytes = static_cast<std::size_t>(s.src);
    const auto* first = static_cast<const std::uint8_t*>(std::memchr(row, 1, num_bytes));
    if (first == nullptr) return {0, s.src};
    const auto* last = static_cast<const std::uint8_t*>(memrchr(row, 1, num_bytes));
    seen = {std::min<std::int64_t>(seen.begin, first - row),
            std::max<std::int64_t>(seen.end, last - row + 1)};
  }
  return {seen.begin / kPanelColumns * kPanelColumns, seen.end};
}

ScoreRows AttentionBlock::scores(float* data) const {
  bool masked = mask.data != nullptr;
  return {.data = data,
          .row = s.src_room(),
          .rows = rows(),
          .columns = keys.size(),
          .mask = masked ? mask.row(queries.begin) + keys.begin : nullptr,
          .mask_row = s.src,
          .bias = bias.at(queries.begin, keys.begin),
          .bias_row = s.src};
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
  multiply_block({.rows = rows(),
                  .columns = rounded_up(keys.size(), kPanelColumns),
                  .inner = s.dim,
                  .a = {.lines = a.from(queries.begin, 0)},
                  .b = {.packed = packed + keys.begin * num_words(words, s.dim)},
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
       .b = {.packed = packed + num_words(words, keys.begin) * kPanelColumns,
             .packed_words = num_words(words, s.src)},
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
