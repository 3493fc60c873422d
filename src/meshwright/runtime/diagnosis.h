// SPDX-License-Identifier: Apache-2.0
// The checks of `meshwright doctor`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "meshwright/base/error_with_remedy.h"
#include "meshwright/runtime/client.h"
#include "meshwright/runtime/compile_cache.h"

namespace meshwright::runtime {

struct Problem {
  std::string cause;
  std::string remedy;  // not including the lines for `choice`
  std::optional<Remedy> choice = {};
};

struct Diagnosis {
  std::string platform;
  std::string plugin_path;
  std::string api_version;
  std::vector<std::pair<std::string, std::string>> plugin_attributes;
  std::vector<std::string> extensions;
  std::string platform_version;
  std::vector<DeviceInfo> devices;
  std::optional<double> open_seconds;   // loading the plugin and opening the devices
  std::optional<double> check_seconds;  // compiling and running a program on all devices
  CompileCache::State cache;
  int num_cpus = 0;
  std::int64_t host_memory_bytes = 0;
  bool has_jemalloc = false;              // without it, programs on the CPU are slower
  std::vector<std::string> cpu_features;  // those that affect the speed of arithmetic
  std::vector<std::pair<std::string, std::string>> environment;  // variables that are set
  std::vector<Problem> problems;

  /// True if programs can run. A broken cache is reported as a problem but does not prevent this.
  bool is_usable() const { return check_seconds.has_value(); }
};

/// Tries everything that a run needs, in order. Failures are reported in the result; only invalid
/// options throw.
Diagnosis diagnose(const ClientOptions& options);

}  // namespace meshwright::runtime
