// SPDX-License-Identifier: Apache-2.0
// Attention masks: boolean arrays [len, src] or [batch, len, src], true where a query may attend to
// a key.
#pragma once

#include "meshwright/nn/context.h"

namespace meshwright::nn {

/// Allows keys at or before the query: all of them or, unless `window` is 0, only the last `window`
/// positions. Positions are integers, [len] or [batch, len].
Value causal_mask(Value query_positions, Value key_positions, std::int64_t window = 0);
/// Allows keys in the same segment as the query. Segment ids are integers, [batch, len].
Value segment_mask(Value query_segments, Value key_segments);
/// Allows keys for which `is_valid`, [batch, src], is true.
Value padding_mask(Value is_valid);
/// Returns the conjunction of two masks. A null mask allows everything.
Value both(Value a, Value b);

}  // namespace meshwright::nn
