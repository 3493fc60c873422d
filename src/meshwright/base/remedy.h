// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace meshwright {

/// Inserts `addition` after the first line of `message`, before the lines of its remedy.
std::string before_remedy(std::string message, std::string_view addition);

}  // namespace meshwright
