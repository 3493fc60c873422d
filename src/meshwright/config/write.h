// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/config/node.h"
#include "meshwright/config/type.h"

namespace meshwright::config {

/// Converts an object to a tree with every field, including defaults. Reading it yields an equal
/// object.
Node write_object(const Type& type, void* object);

}  // namespace meshwright::config
