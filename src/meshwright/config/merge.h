// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/config/node.h"
#include "meshwright/config/problems.h"

namespace meshwright::config {

/// Merges `over` into `base`: tables merge, everything else replaces. A table with a different
/// `type` replaces. A patch may also change list elements by position; the position after the last
/// appends. A patch with a `type` replaces the list.
Node merged(Node base, Node over, Problems& problems);

}  // namespace meshwright::config
