// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/config/node.h"
#include "meshwright/config/type.h"

namespace meshwright::config {

/// Every field of an object with its value, defaults too: read again it gives an equal object.
Node write_object(const Type& type, void* object);

}  // namespace meshwright::config
