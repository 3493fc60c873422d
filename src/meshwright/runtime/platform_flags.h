// SPDX-License-Identifier: Apache-2.0
// The compiler flags that Meshwright sets, by platform.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "meshwright/pjrt/compile_options.h"

namespace meshwright::runtime {

struct PlatformFlag {
  std::string_view platform;
  std::string_view name;  // as in XLA_FLAGS, without dashes
  std::variant<bool, std::int64_t> value;
  std::string_view reason;
};

/// Returns all flags.
std::span<const PlatformFlag> platform_flags();
/// Returns text such as "--xla_gpu_x=true".
std::string to_string(const PlatformFlag& flag);

/// Returns the options with the flags of the platform, except those that the options, XLA_FLAGS or
/// LIBTPU_INIT_ARGS set.
pjrt::CompileOptions add_platform_flags(std::string_view platform, pjrt::CompileOptions options);

/// Calls `compile` with the result of add_platform_flags(). If the plugin does not know a flag that
/// this added, warns and leaves it out.
void with_platform_flags(std::string_view platform,
                         const pjrt::CompileOptions& options,
                         const std::function<void(const pjrt::CompileOptions& options)>& compile);

}  // namespace meshwright::runtime
