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
struct Memory;
}  // namespace c

/// Description of a device. The device need not be accessible.
class DeviceDescription {
 public:
  DeviceDescription(const Plugin& plugin, c::DeviceDescription* description)
      : plugin_(&plugin), description_(description) {}

  /// Unique across processes.
  int id() const;
  int process_index() const;
  /// Returns text such as "cpu", "NVIDIA H200" or "TPU v5".
  std::string kind() const;
  std::string debug_string() const;
  std::vector<NamedValue> attributes() const;

 private:
  const Plugin* plugin_;
  c::DeviceDescription* description_;
};

/// Sizes in bytes. Values that the plugin does not report are absent.
struct MemoryStats {
  std::int64_t in_use_bytes = 0;
  std::optional<std::int64_t> peak_bytes;
  std::optional<std::int64_t> limit_bytes;
  std::optional<std::int64_t> largest_allocation_bytes;
};

/// A device of a client. Must not outlive it.
class Device {
 public:
  Device(const Plugin& plugin, c::Device* device) : plugin_(&plugin), device_(device) {}

  DeviceDescription description() const;
  /// True if this process can use the device.
  bool is_addressable() const;
  int local_hardware_id() const;
  /// Returns nullopt if the plugin does not support it, as on the CPU.
  std::optional<MemoryStats> memory_stats() const;
  /// Returns the kinds of its memories, such as "device", "pinned_host" and "unpinned_host".
  std::vector<std::string> memory_kinds() const;
  /// Throws device if the device has no memory of this kind.
  c::Memory* memory(std::string_view kind) const;

  c::Device* get() const { return device_; }
  bool operator==(const Device& other) const { return device_ == other.device_; }

 private:
  const Plugin* plugin_;
  c::Device* device_;
};

}  // namespace meshwright::pjrt
