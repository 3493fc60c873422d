// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/config/type.h"

namespace meshwright::config {

/// JSON Schema (draft 7) of the config files of a struct, for editors and other programs. Nothing
/// is required in it, since a file may leave to its base what it does not say.
std::string json_schema(const Type& type);

}  // namespace meshwright::config
