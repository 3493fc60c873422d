// SPDX-License-Identifier: Apache-2.0
// Internal to runtime/: compilation through the cache.
#pragma once

#include <functional>
#include <string>

#include "meshwright/runtime/client_state.h"

namespace meshwright::runtime {

struct Compiled {
  pjrt::LoadedExecutable loaded;
  bool from_cache = false;  // or from the client's bundle
};

/// Returns the key of a program by its text without source locations.
std::string key_of(ClientState& client,
                   const std::string& text,
                   const pjrt::CompileOptions& options);

/// Loads a program from the bundle or the cache by `key_text`, its text without source locations.
/// If neither has it, compiles the result of `full_text` and caches the compiled program.
Compiled compile_or_load(ClientState& client,
                         const std::string& key_text,
                         const std::function<std::string()>& full_text,
                         const pjrt::CompileOptions& options);

}  // namespace meshwright::runtime
