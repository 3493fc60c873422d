// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/base/error.h"
#include "meshwright/runtime/plugin_choice.h"

namespace meshwright {

/// Returns whether the plugin of a platform was fetched.
inline bool is_fetched(const std::string& platform) {
  try {
    runtime::plugin_path(platform, "");
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace meshwright
