// SPDX-License-Identifier: Apache-2.0
// Completion of configs, their keys and values.
#pragma once

#include <cstddef>
#include <string>

#include "meshwright/cli/complete.h"

namespace meshwright::cli {

/// Completes `CONFIG... [key.path=value...]`: names of configs and paths of TOML files until there
/// are enough, keys of the config named in `before`, and values of keys that take only a few.
Completion complete_config(const Args& before, const std::string& typed, std::size_t max_configs);

/// Completes a key without a value.
Completion complete_key(const std::string& typed);

}  // namespace meshwright::cli
