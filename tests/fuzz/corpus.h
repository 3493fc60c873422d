// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace meshwright::fuzz {

/// Returns the corpus of a target, sorted by file name: initial examples and all inputs that were
/// ever findings. Throws not_found if it is empty.
std::vector<std::string> corpus(std::string_view target);

}  // namespace meshwright::fuzz
