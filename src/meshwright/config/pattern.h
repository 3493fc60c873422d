// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/config/check.h"

namespace meshwright::config {

/// True if the text is a nonempty regular expression that Regex accepts.
bool is_pattern(const std::string& text);

/// For members that are converted to a Regex.
inline const Rule<bool (*)(const std::string&)> kPattern{"be a nonempty regular expression",
                                                         is_pattern};

}  // namespace meshwright::config
