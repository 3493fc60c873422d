// SPDX-License-Identifier: Apache-2.0
// Who may look at whom: boolean arrays [len, src] or [batch, len, src], true where a query may see
// a key.
#pragma once

#include "meshwright/nn/context.h"

namespace meshwright::nn {

/// Keys at or before the query. Positions are integers, [len] or [batch, len].
Value causal_mask(Value query_positions, Value key_positions);
/// The same, and every key before position prefix[i] of row i of the batch, whatever the query.
Value prefix_mask(Value query_positions, Value key_positions, Value prefix_lengths);
/// Keys of the segment of the query; segment ids are integers, [batch, len].
Value segment_mask(Value query_segments, Value key_segments);
/// Keys for which `is_valid`, [batch, src], holds.
Value padding_mask(Value is_valid);
/// Both; an empty one does not count.
Value both(Value a, Value b);

}  // namespace meshwright::nn
