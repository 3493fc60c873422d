// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace meshwright::runtime {

/// One line per platform for which there is a plugin, "cpu: PJRT 0.115, xla_version 3", or what is
/// wrong with it. Loads the plugins, but opens no devices.
std::vector<std::string> plugin_versions();

}  // namespace meshwright::runtime
