// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/config/node.h"
#include "meshwright/config/problems.h"

namespace meshwright::config {

/// Merges `over` into `base`: tables are merged, and any other value replaces the old one, as does
/// a table with a different `type`. A patch may also change list elements by position; the position
/// after the last element appends one. A patch with a `type` replaces the list.
Node merged(Node base, Node over, Problems& problems);

}  // namespace meshwright::config
