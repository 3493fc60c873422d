// SPDX-License-Identifier: Apache-2.0
// The position in the data, as stored in a checkpoint.
#pragma once

#include <cstdint>

#include "meshwright/data/core/source.h"

namespace meshwright::data {

using State = Tree<Scalar>;

/// Returns the state after `num_batches` batches, not counting batches that were only prefetched:
/// that number, the source's identity, and for information the uses() of its parts.
State state(const Source& source, std::int64_t num_batches);

/// How to handle a source that differs from the one in the state.
enum class OnOtherData { refuse, warn };

/// Returns the number of batches used, which is where to continue. If the identity differs, throws
/// invalid_argument with all differences, or warns with OnOtherData::warn. Throws data_loss if
/// `state` is invalid.
std::int64_t num_batches_used(const Source& source, const State& state, OnOtherData on_other_data);

}  // namespace meshwright::data
