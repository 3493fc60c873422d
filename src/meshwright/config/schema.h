// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/config/type.h"

namespace meshwright::config {

/// Returns a JSON Schema (draft 7) of a struct's config files, for editors and other programs. No
/// key is required, since a file may inherit any key from its base.
std::string json_schema(const Type& type);

}  // namespace meshwright::config
