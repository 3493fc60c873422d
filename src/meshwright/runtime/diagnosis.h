// SPDX-License-Identifier: Apache-2.0
// What `meshwright doctor` finds out about this machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "meshwright/runtime/client.h"
#include "meshwright/runtime/compile_cache.h"

namespace meshwright::runtime {

/// Something that does not work, and what to do about it.
struct Problem {
  std::string cause;
  std::string remedy;
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
  bool has_jemalloc = false;              // without it programs on the CPU are slower
  std::vector<std::string> cpu_features;  // those that decide how fast arithmetic is
  std::vector<std::pair<std::string, std::string>> environment;  // variables that are set
  std::vector<Problem> problems;

  /// Whether programs can run. A cache that does not work is a problem, but not this one.
  bool is_usable() const { return check_seconds.has_value(); }
};

/// Tries everything a run needs, one after the other. Does not throw for what does not work, but
/// for options that make no sense.
Diagnosis diagnose(const ClientOptions& options);

}  // namespace meshwright::runtime
