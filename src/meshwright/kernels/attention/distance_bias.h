// SPDX-License-Identifier: Apache-2.0
// Biases that depend only on the distance between query and key. Internal to kernels/attention.
#pragma once

#include <cstdint>

#include "meshwright/graph/core/value.h"

namespace meshwright::kernels {

/// Returns the bias of each query and key, [kv, q, len, src]. `by_distance` is
/// [kv, q, len + src - 1]; query i and key j get element j - i + len - 1.
graph::Value bias_of_distances(graph::Value by_distance, std::int64_t len, std::int64_t src);

/// Returns the sum of x, [kv, q, len, src], over the queries and keys of each distance: the
/// gradient of bias_of_distances().
graph::Value sum_by_distance(graph::Value x);

}  // namespace meshwright::kernels
