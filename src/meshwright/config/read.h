// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/config/node.h"
#include "meshwright/config/problems.h"
#include "meshwright/config/type.h"

namespace meshwright::config {

/// Fills `object` from a node. What is wrong goes to `problems`, and the rest is read on.
void read_object(const Type& type, const Node& node, void* object, Problems& problems);

/// The same, throwing invalid_argument with everything that was wrong.
void read_object(const Type& type, const Node& node, void* object);

}  // namespace meshwright::config
