// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace meshwright::runtime {

/// The plugin file for `platform` ("cpu", "cuda" or "tpu"). In this order: `wanted`, if not empty;
/// the environment variable MESHWRIGHT_PLUGIN_PATH; the platform's entry in
/// PJRT_NAMES_AND_LIBRARY_PATHS ("name:path,name:path"); the first of plugin_places that is there.
/// Throws invalid_argument for an unknown platform and a list that is none, and device if there is
/// no plugin, naming what was looked at. The working folder plays no part.
std::string plugin_path(std::string_view platform, const std::string& wanted);

/// Where a plugin may lie that nobody names: beside an installed program (PREFIX/bin/program and
/// PREFIX/share/meshwright/xla/PLATFORM/plugin.so), and where tools/fetch_xla puts it in the source
/// tree of this build.
std::vector<std::filesystem::path> plugin_places(std::string_view platform,
                                                 const std::filesystem::path& program);

}  // namespace meshwright::runtime
