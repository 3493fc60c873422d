// SPDX-License-Identifier: Apache-2.0
// Internal to pjrt/: calls to plugin functions.
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

#include "meshwright/pjrt/c/api.h"
#include "meshwright/pjrt/plugin.h"

namespace meshwright::pjrt {

/// Throws the plugin's error, if any, as "<doing>: <its message>", and destroys it.
void check(const Plugin& plugin, c::Error* error, std::string_view doing);
/// Destroys an error that cannot be handled.
void discard(const Plugin& plugin, c::Error* error) noexcept;
[[noreturn]] void fail_not_offered(const Plugin& plugin, std::string_view doing);

template <typename Args>
bool offers(const Plugin& plugin, c::Function<Args> c::Api::*entry) {
  const auto* place = &(plugin.api().*entry);
  auto end =
      reinterpret_cast<const char*>(place + 1) - reinterpret_cast<const char*>(&plugin.api());
  return plugin.offers(static_cast<std::size_t>(end)) && *place != nullptr;
}

/// Calls a plugin function and returns its arguments with the results filled in. Throws device if
/// the plugin reports an error, and unimplemented if the plugin is too old to have the function.
template <typename Args>
Args call(const Plugin& plugin,
          c::Function<Args> c::Api::*entry,
          std::type_identity_t<Args> args,
          std::string_view doing) {
  if (!offers(plugin, entry)) fail_not_offered(plugin, doing);
  check(plugin, (plugin.api().*entry)(&args), doing);
  return args;
}

}  // namespace meshwright::pjrt
