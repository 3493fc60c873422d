// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "meshwright/runtime/compile_cache.h"

namespace meshwright::runtime {

/// One line per platform for which there is a plugin, "cpu: PJRT 0.115, xla_version 3", or what is
/// wrong with it. Loads a plugin, which takes 0.1 s, unless the cache remembers what it said and
/// its file is still the same; opens no devices.
std::vector<std::string> plugin_versions(
    const std::filesystem::path& cache_folder = default_cache_folder());

}  // namespace meshwright::runtime
