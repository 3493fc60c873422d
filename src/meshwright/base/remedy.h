// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace meshwright {

/// Inserts `addition` at the end of the first line of `message`. The remedy, if any, follows on the
/// next line.
std::string before_remedy(std::string message, std::string_view addition);

}  // namespace meshwright
