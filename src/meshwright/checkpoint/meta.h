// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/base/scalar.h"
#include "meshwright/base/tree.h"

namespace meshwright::checkpoint {

/// Small values: the position in the data, what policies remember, with what it was made.
using Meta = Tree<Scalar>;

}  // namespace meshwright::checkpoint
