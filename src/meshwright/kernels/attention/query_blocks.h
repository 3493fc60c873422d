// SPDX-License-Identifier: Apache-2.0
// How attention in plain ops divides its queries. Internal to kernels/attention.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "meshwright/graph/core/value.h"
#include "meshwright/kernels/attention/attention.h"

namespace meshwright::kernels {

/// Consecutive blocks of equally many queries, which all see the same number of keys.
struct QueryBlocks {
  std::int64_t begin = 0;  // the first query
  std::int64_t num_blocks = 1;
  std::int64_t size = 0;      // of a block, in queries
  std::int64_t num_keys = 0;  // the block's queries see only this many keys
  /// The keys end with the block's last query, or are the first ones if that is too early. False:
  /// they are the first ones.
  bool keys_follow = false;
};

/// Divides `len` queries into blocks. Blocks skip the keys that no query sees because of causality
/// or a window, unless a query may see no key at all.
std::vector<QueryBlocks> query_blocks(graph::Value q,
                                      graph::Value k,
                                      const AttentionOptions& options);

/// Calls body(begin, carry) for the first query of each block, one block after the other, and
/// returns the last carry.
std::vector<graph::Value> for_each_block(
    const QueryBlocks& blocks,
    std::vector<graph::Value> carry,
    const std::function<std::vector<graph::Value>(graph::Value begin,
                                                  std::span<const graph::Value> carry)>& body);

}  // namespace meshwright::kernels
