// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/config/check.h"

namespace meshwright::config {

/// A text that Regex takes, and not an empty one.
bool is_pattern(const std::string& text);

/// For members that become a Regex.
inline const Rule<bool (*)(const std::string&)> kPattern{"be a regular expression, and not empty",
                                                         is_pattern};

}  // namespace meshwright::config
