// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace meshwright::runtime {

/// The plugin file for `platform` ("cpu", "cuda" or "tpu"). In this order: `wanted`, if not empty;
/// the environment variable MESHWRIGHT_PLUGIN_PATH; the platform's entry in
/// PJRT_NAMES_AND_LIBRARY_PATHS ("name:path,name:path"); the plugin fetched into the .cache/xla of
/// this build's source tree, or of the working folder. Throws invalid_argument for an unknown
/// platform and device if there is no plugin, naming what was looked at.
std::string plugin_path(std::string_view platform, const std::string& wanted);

}  // namespace meshwright::runtime
