// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace meshwright::tokenizers {

/// Returns the bytes of a Charsmap with these rules.
std::string charsmap_bytes(const std::map<std::string, std::string>& rules);

}  // namespace meshwright::tokenizers
