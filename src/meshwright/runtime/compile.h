// SPDX-License-Identifier: Apache-2.0
// Compiling through the cache. Not for other folders.
#pragma once

#include <functional>
#include <string>

#include "meshwright/runtime/client_state.h"

namespace meshwright::runtime {

struct Compiled {
  pjrt::LoadedExecutable loaded;
  bool from_cache = false;
};

/// Loads the program whose text without source locations is `key_text` from the cache, or compiles
/// what `full_text` returns and keeps it there.
Compiled compile_or_load(ClientState& client,
                         const std::string& key_text,
                         const std::function<std::string()>& full_text,
                         pjrt::CompileOptions options);

}  // namespace meshwright::runtime
