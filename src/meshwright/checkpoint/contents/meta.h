// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/base/scalar.h"
#include "meshwright/base/tree.h"

namespace meshwright::checkpoint {

/// Small values stored with the arrays: the data position, the state of policies, the environment.
using Meta = Tree<Scalar>;

}  // namespace meshwright::checkpoint
