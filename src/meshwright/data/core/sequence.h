// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "meshwright/data/core/combinators.h"

namespace meshwright::data {

/// Returns the batches of several finite sources, one source after the other. Throws
/// invalid_argument unless their batches have the same spec; the first call of another function
/// than spec() and name() does if one is endless.
SourcePtr in_sequence(std::vector<SourcePtr> sources);

}  // namespace meshwright::data
