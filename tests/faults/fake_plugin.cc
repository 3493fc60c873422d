// SPDX-License-Identifier: Apache-2.0
// A library that claims to be a PJRT plugin with API FAKE_MAJOR.FAKE_MINOR and implements nothing.
#include "meshwright/pjrt/c/api.h"

namespace c = meshwright::pjrt::c;

extern "C" const c::Api*
GetPjrtApi() {  // NOLINT(readability-identifier-naming): the plugin interface's name
  static c::Api api{.header = {sizeof(c::Api)},
                    .version = {.major_version = FAKE_MAJOR, .minor_version = FAKE_MINOR}};
  api.plugin_initialize = [](c::PluginInitializeArgs*) -> c::Error* { return nullptr; };
  return &api;
}
