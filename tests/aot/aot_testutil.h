// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/base/error.h"
#include "meshwright/runtime/plugin_choice.h"

namespace meshwright {

/// Returns whether the plugin that compiles for a platform was fetched.
inline bool is_fetched(const std::string& platform) {
  try {
    runtime::compiler_path(platform, "");
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace meshwright
