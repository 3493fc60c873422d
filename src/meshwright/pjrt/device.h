// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/pjrt/named_value.h"

namespace meshwright::pjrt {

class Plugin;

namespace c {
struct Device;
struct DeviceDescription;
}  // namespace c

/// What is known of a device without having it: its place in a topology.
class DeviceDescription {
 public:
  DeviceDescription(const Plugin& plugin, c::DeviceDescription* description)
      : plugin_(&plugin), description_(description) {}

  /// Unique over all processes.
  int id() const;
  int process_index() const;
  /// "cpu", "NVIDIA H200", "TPU v5".
  std::string kind() const;
  std::string debug_string() const;
  std::vector<NamedValue> attributes() const;

 private:
  const Plugin* plugin_;
  c::DeviceDescription* description_;
};

/// Bytes; what the plugin does not count is absent.
struct MemoryStats {
  std::int64_t in_use_bytes = 0;
  std::optional<std::int64_t> peak_bytes;
  std::optional<std::int64_t> limit_bytes;
  std::optional<std::int64_t> largest_allocation_bytes;
};

/// A device of a client; valid as long as the client.
class Device {
 public:
  Device(const Plugin& plugin, c::Device* device) : plugin_(&plugin), device_(device) {}

  DeviceDescription description() const;
  /// Whether this process can use it.
  bool is_addressable() const;
  int local_hardware_id() const;
  /// Absent where the plugin does not offer it, as on the CPU.
  std::optional<MemoryStats> memory_stats() const;
  /// The kinds of memory it can address: "device", "pinned_host", "unpinned_host".
  std::vector<std::string> memory_kinds() const;

  c::Device* get() const { return device_; }
  bool operator==(const Device& other) const { return device_ == other.device_; }

 private:
  const Plugin* plugin_;
  c::Device* device_;
};

}  // namespace meshwright::pjrt
