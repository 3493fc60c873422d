// SPDX-License-Identifier: Apache-2.0
// Completion of configs and of their keys and values.
#pragma once

#include <cstddef>
#include <string>

#include "meshwright/cli/complete.h"

namespace meshwright::cli {

/// Completes `CONFIG... [key.path=value...]`: names of configs and paths of TOML files until
/// `max_configs` are given, keys of the config named in `before`, and the values of keys that
/// accept only a few.
Completion complete_config(const Args& before, const std::string& typed, std::size_t max_configs);

/// Completes a key alone, without a value.
Completion complete_key(const std::string& typed);

}  // namespace meshwright::cli
