// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace meshwright::runtime {

/// Returns one line per platform with a plugin, such as "cpu: /path/of/plugin.so", or the error
/// found in the list of plugins. Loads no plugin, since that may take minutes.
std::vector<std::string> plugin_files();

}  // namespace meshwright::runtime
