// SPDX-License-Identifier: Apache-2.0
// The position in the data, as it is kept with a checkpoint.
#pragma once

#include <cstdint>

#include "meshwright/data/source.h"

namespace meshwright::data {

using State = Tree<Scalar>;

/// The state after `num_batches` batches have been used for training, prefetched ones not counted:
/// that number and the source's identity.
State state(const Source& source, std::int64_t num_batches);

/// What to do when the source is not the one that the state was made with.
enum class OnOtherData { refuse, warn };

/// The number of batches used, where to continue. Throws invalid_argument with all differences if
/// the identity is another one (a warning with OnOtherData::warn), and data_loss if `state` is
/// none.
std::int64_t num_batches_used(const Source& source, const State& state, OnOtherData on_other_data);

}  // namespace meshwright::data
