// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/config/type.h"

namespace meshwright::config {

/// Every key of a struct in Markdown, a table per section: type, default, meaning.
std::string markdown(const Type& type);

}  // namespace meshwright::config
