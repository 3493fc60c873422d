// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/config/node.h"
#include "meshwright/config/problems.h"

namespace meshwright::config {

/// Lays `over` on `base`: tables merge, everything else replaces. A table with another `type` is
/// another thing, and replaces too. A patch may also reach into a list by position; one past its
/// end adds an element. A patch with a `type` replaces the list.
Node merged(Node base, Node over, Problems& problems);

}  // namespace meshwright::config
