// SPDX-License-Identifier: Apache-2.0
// The compiler and the machines that programs are compiled for.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/pjrt/compile_options.h"

namespace meshwright::runtime {

struct BuildTarget {
  std::string platform;     // "cpu", "cuda" or "tpu"
  std::string device_kind;  // as the plugin names it
  std::int64_t num_devices = 0;
  std::string plugin_version;
  std::string plugin_digest;   // XXH3-128 of the plugin file
  std::string compiler_flags;  // XLA_FLAGS and LIBTPU_INIT_ARGS of the environment
  std::string cpu_features;    // of this machine; empty unless the programs run on its CPU
};

/// Fills in what the environment and this machine determine.
BuildTarget build_target(BuildTarget target);

/// Returns the cache key of a program with this text, which names some of the kernels (names and
/// ABI versions).
std::string program_key(const BuildTarget& target,
                        std::string_view text,
                        const pjrt::CompileOptions& options,
                        const std::map<std::string, int>& kernels);

/// Returns a line for each reason why programs for `theirs` do not run on `ours`.
std::vector<std::string> differences(const BuildTarget& theirs, const BuildTarget& ours);

}  // namespace meshwright::runtime
