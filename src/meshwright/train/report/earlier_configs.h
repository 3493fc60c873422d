// SPDX-License-Identifier: Apache-2.0
// Configs of earlier starts of a run: config.1.toml, config.2.toml, ...
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "meshwright/io/file_system.h"

namespace meshwright::train {

/// Returns the names of these files in a run's folder, oldest first.
std::vector<std::string> earlier_configs(const io::FileSystem& run);

/// Copies config.toml to config.N.toml, with the next N, before `next` replaces it. Does nothing if
/// the two are equal or the newest copy already has the same text.
void keep_earlier_config(io::FileSystem& run, std::string_view next);

}  // namespace meshwright::train
