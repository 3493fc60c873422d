// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/attention/query_blocks.h"

#include <algorithm>
#include <utility>

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/scan.h"
#include "meshwright/graph/ops/shape.h"

namespace meshwright::kernels {

using graph::Value;

namespace {

constexpr std::int64_t kBlock = 512;
// Each group has a loop of its own, whose blocks all see as many keys as its last one. With 8, a
// causal row of any length costs at most 9/16 of one without causality.
constexpr std::int64_t kMostGroups = 8;

// True if every query sees a key that is not after it, so that later keys can be skipped. A query
// sees itself unless a mask, other segments or a length forbid it; one that sees nothing gets the
// mean of all values.
bool can_skip_keys(Value q, Value k, const AttentionOptions& options) {
  return options.causal && options.mask.is_null() && options.key_segments.is_null() &&
         options.prefix.is_null() && (options.window == 0 || options.key_lengths.is_null()) &&
         q.dim(1) == k.dim(1);
}

std::vector<QueryBlocks> blocks_with_window(std::int64_t len, std::int64_t window) {
  std::vector<QueryBlocks> out;
  const auto add = [&](std::int64_t begin, std::int64_t num_blocks, std::int64_t size) {
    if (num_blocks > 0 && size > 0)
      out.push_back({begin, num_blocks, size, std::min(len, size + window - 1), true});
  };
  const std::int64_t num_blocks = len / kBlock;
  add(0, num_blocks, kBlock);
  add(num_blocks * kBlock, 1, len % kBlock);
  return out;
}

}  // namespace

std::vector<QueryBlocks> query_blocks(Value q, Value k, const AttentionOptions& options) {
  const std::int64_t len = q.dim(1), src = k.dim(1);
  const bool is_causal = can_skip_keys(q, k, options);
  if (is_causal && options.window > 0) return blocks_with_window(len, options.window);
  if (len <= kBlock) return {{.size = len, .num_keys = src}};
  std::vector<QueryBlocks> out;
  const auto add = [&](std::int64_t begin, std::int64_t num_blocks, std::int64_t size) {
    const std::int64_t end = begin + num_blocks * size;
    out.push_back({begin, num_blocks, size, is_causal ? std::min(end, src) : src});
  };
  const std::int64_t num_blocks = len / kBlock;
  const std::int64_t num_groups = is_causal ? std::min(num_blocks, kMostGroups) : 1;
  for (std::int64_t group = 0, begin = 0; group < num_groups; ++group) {
    const std::int64_t end = (group + 1) * num_blocks / num_groups;
    add(begin * kBlock, end - begin, kBlock);
    begin = end;
  }
  if (len % kBlock != 0) add(num_blocks * kBlock, 1, len % kBlock);
  return out;
}

std::vector<Value> for_each_block(
    const QueryBlocks& blocks,
    std::vector<Value> carry,
    const std::function<std::vector<Value>(Value begin, std::span<const Value> carry)>& body) {
  if (blocks.num_blocks == 1) return body(graph::constant(blocks.begin, s32), carry);
  Value begins = graph::iota(s32, {blocks.num_blocks}) * blocks.size + blocks.begin;
  return graph::scan(carry, std::vector{begins},
                     [&](std::span<const Value> now, std::span<const Value> begin) {
                       return graph::ScanStep{.carry = body(begin[0], now), .ys = {}};
                     })
      .carry;
}

}  // namespace meshwright::kernels
