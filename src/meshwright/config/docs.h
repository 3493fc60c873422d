// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/config/type.h"

namespace meshwright::config {

/// Documents every key of a struct in Markdown, with a table per section: type, default, meaning.
std::string markdown(const Type& type);

}  // namespace meshwright::config
