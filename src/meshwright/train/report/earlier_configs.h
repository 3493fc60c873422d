// SPDX-License-Identifier: Apache-2.0
// Configs with which a run was started before: config.1.toml, config.2.toml, ...
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "meshwright/io/file_system.h"

namespace meshwright::train {

/// Their names in a run's folder, the oldest first.
std::vector<std::string> earlier_configs(const io::FileSystem& run);

/// Before config.toml is replaced by `next`: copies it to config.N.toml with the next N, unless it
/// is equal to `next` or has been copied already.
void keep_earlier_config(io::FileSystem& run, std::string_view next);

}  // namespace meshwright::train
