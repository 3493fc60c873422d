// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace meshwright::runtime {

inline constexpr std::array<std::string_view, 3> kPlatforms = {"cpu", "cuda", "tpu"};

/// Returns the plugin file for `platform` (one of kPlatforms). Sources in order of precedence:
/// `wanted`, if not empty; the environment variable MESHWRIGHT_PLUGIN_PATH; the platform's entry in
/// PJRT_NAMES_AND_LIBRARY_PATHS ("name:path,name:path"); the first of plugin_places() that exists.
/// Never depends on the working folder. Throws invalid_argument for an unknown platform or a
/// malformed list, and device, listing the places searched, if no plugin is found.
std::string plugin_path(std::string_view platform, const std::string& wanted);

/// As above, for compiling ahead of time: also finds a plugin without the libraries that running on
/// its devices takes (cuda-compiler).
std::string compiler_path(std::string_view platform, const std::string& wanted);

/// Returns the default locations of a plugin by its set in tools/xla_pins.txt, whose name is the
/// platform or "cuda-compiler": the one that belongs to an installed program
/// (PREFIX/share/meshwright/xla/SET/plugin.so for PREFIX/bin/program), and the one where
/// tools/fetch_xla puts it in the source tree of this build.
std::vector<std::filesystem::path> plugin_places(std::string_view set,
                                                 const std::filesystem::path& program);

}  // namespace meshwright::runtime
