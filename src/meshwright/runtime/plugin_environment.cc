// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/plugin_environment.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <vector>

#include <malloc.h>
#include <unistd.h>

#include "meshwright/base/check.h"

namespace meshwright::runtime {
namespace {

// XLA aborts the process when a collective exceeds this limit. At one day, Meshwright's watchdog
// acts first.
constexpr int kCollectiveLimitSeconds = 86400;
constexpr std::string_view kCollectiveLimits[] = {
    "--xla_cpu_collective_call_terminate_timeout_seconds",
    "--xla_cpu_collective_timeout_seconds",
};

std::string setting(std::string_view limit) {
  return str(limit, "=", kCollectiveLimitSeconds);
}

/// Returns the variable or, if it does not begin with a dash, the content of the file that it
/// names, as XLA does.
std::string read_xla_flags() {
  const char* variable = std::getenv("XLA_FLAGS");
  std::string flags = variable == nullptr ? "" : variable;
  auto first = flags.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "";
  if (flags[first] == '-') return flags;
  std::ifstream file(flags);
  std::string content(std::istreambuf_iterator<char>(file), {});
  if (!file)
    fail(ErrorCode::invalid_argument, "XLA_FLAGS does not begin with --, so it names a file, but ",
         flags, " cannot be read\nfix or unset XLA_FLAGS");
  return content;
}

}  // namespace

void add_xla_flags(std::span<const std::string> flags) {
  std::string all;
  for (const std::string& flag : flags)
    all += flag + " ";
  if (!all.empty()) setenv("XLA_FLAGS", (all + read_xla_flags()).c_str(), /*replace=*/1);
}

std::string plugin_variables() {
  std::vector<std::string> found;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (text.starts_with("LIBTPU_INIT_ARGS=") || text.starts_with("NCCL_"))
      found.emplace_back(text);
  }
  std::ranges::sort(found);  // the environment has no defined order
  return join(found, " ");
}

std::string xla_flags_of_user() {
  std::string flags = read_xla_flags();
  for (std::string_view limit : kCollectiveLimits) {
    if (auto at = flags.find(setting(limit)); at != std::string::npos)
      flags.erase(at, setting(limit).size());
  }
  const auto first = flags.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "";
  return flags.substr(first, flags.find_last_not_of(" \t\r\n") + 1 - first);
}

void prepare_plugin_environment(std::string_view platform) {
  setenv("TF_CPP_MIN_LOG_LEVEL", "2", /*replace=*/0);
  std::string flags = read_xla_flags();
  for (std::string_view limit : kCollectiveLimits) {
    if (platform != "cpu" || flags.find(limit) != std::string::npos) continue;
    flags += str(flags.empty() ? "" : " ", setting(limit));
  }
  if (!flags.empty()) setenv("XLA_FLAGS", flags.c_str(), /*replace=*/1);
}

void tune_malloc() {
  // Disables fast bins, which each aligned allocation, and so each array, would consolidate. A
  // trivial step then takes 1.6 instead of 2.4 us.
  mallopt(M_MXFAST, 0);
  // Each step frees and reallocates its arrays: keep their pages.
  constexpr int kLargestThreshold = 32 << 20;
  mallopt(M_MMAP_THRESHOLD, kLargestThreshold);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

}  // namespace meshwright::runtime
