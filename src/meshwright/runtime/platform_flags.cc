// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/platform_flags.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "meshwright/base/error.h"
#include "meshwright/base/log.h"
#include "meshwright/base/str.h"

namespace meshwright::runtime {
namespace {

// Figures: `bench_aot`, see docs/speed.md.
constexpr PlatformFlag kFlags[] = {
    {"cpu", "xla_cpu_enable_fast_min_max", false,
     "otherwise min and max lose NaN, which would hide a broken step"},
    {"cpu", "xla_cpu_copy_insertion_use_region_analysis", true,
     "otherwise each step copies every donated parameter that both passes read, instead of "
     "scheduling the update after them"},
    {"cuda", "xla_gpu_enable_latency_hiding_scheduler", true,
     "schedules products between the start and the end of collectives"},
    {"cuda", "xla_gpu_experimental_parallel_collective_overlap_limit", std::int64_t{4},
     "lets four collectives run at a time instead of one: half as many bytes of gathered weights "
     "arrive while no product runs"},
};

bool is_set_in(const char* variable, std::string_view name) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return false;
  const std::string_view text = value;
  for (std::size_t at = text.find(name); at != std::string_view::npos;
       at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool ends = end == text.size() || text[end] == '=' || text[end] == ' ';
    if (at > 0 && text[at - 1] == '-' && ends) return true;
  }
  return false;
}

pjrt::CompileOptions::DebugValue debug_value(const PlatformFlag& flag) {
  return std::visit([](auto value) { return pjrt::CompileOptions::DebugValue(value); }, flag.value);
}

}  // namespace

std::span<const PlatformFlag> platform_flags() {
  return kFlags;
}

std::string to_string(const PlatformFlag& flag) {
  const auto* is_on = std::get_if<bool>(&flag.value);
  if (is_on != nullptr) return str("--", flag.name, *is_on ? "=true" : "=false");
  return str("--", flag.name, "=", std::get<std::int64_t>(flag.value));
}

pjrt::CompileOptions add_platform_flags(std::string_view platform, pjrt::CompileOptions options) {
  for (const PlatformFlag& flag : kFlags) {
    if (flag.platform != platform || is_set_in("XLA_FLAGS", flag.name) ||
        is_set_in("LIBTPU_INIT_ARGS", flag.name))
      continue;
    options.debug_options.try_emplace(std::string(flag.name), debug_value(flag));
  }
  return options;
}

void with_platform_flags(std::string_view platform,
                         const pjrt::CompileOptions& options,
                         const std::function<void(const pjrt::CompileOptions& options)>& compile) {
  pjrt::CompileOptions with_flags = add_platform_flags(platform, options);
  for (;;) {
    try {
      return compile(with_flags);
    } catch (const Error& error) {
      const auto unknown = std::ranges::find_if(with_flags.debug_options, [&](const auto& option) {
        return !options.debug_options.contains(option.first) &&
               error.message().find(option.first) != std::string::npos;
      });
      if (unknown == with_flags.debug_options.end()) throw;
      log_warning("the plugin rejects the compiler flag ", unknown->first, ", so it is not set");
      with_flags.debug_options.erase(unknown);
    }
  }
}

}  // namespace meshwright::runtime
