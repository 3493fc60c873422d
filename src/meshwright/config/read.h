// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/config/node.h"
#include "meshwright/config/problems.h"
#include "meshwright/config/type.h"

namespace meshwright::config {

/// Reads an object from a node. Adds errors to `problems` and continues.
void read_object(const Type& type, const Node& node, void* object, Problems& problems);

/// Reads an object from a node. If it has errors, throws invalid_argument with all of them.
void read_object(const Type& type, const Node& node, void* object);

}  // namespace meshwright::config
