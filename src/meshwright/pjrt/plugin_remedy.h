// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/base/error_with_remedy.h"

namespace meshwright::pjrt {

/// Returns the remedy of selecting a plugin other than the one that failed.
inline Remedy name_another_plugin() {
  return {RemedyKind::choose_plugin, "or select another", "ClientOptions::plugin_path"};
}

}  // namespace meshwright::pjrt
