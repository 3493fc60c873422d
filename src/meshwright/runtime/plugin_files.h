// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace meshwright::runtime {

/// One line per platform for which there is a plugin, "cpu: /path/of/plugin.so", or what is wrong
/// with the list that names plugins. Loads none: that may take minutes on some machines.
std::vector<std::string> plugin_files();

}  // namespace meshwright::runtime
