// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace meshwright::fuzz {

/// The inputs that the tree keeps for a target, sorted by file name: examples to begin with, and
/// everything that was ever a finding. Throws not_found if there are none.
std::vector<std::string> corpus(std::string_view target);

}  // namespace meshwright::fuzz
