// SPDX-License-Identifier: Apache-2.0
// Machines by short names, for ahead-of-time compilation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/runtime/topology.h"
#include "meshwright/tensor/shape.h"

namespace meshwright::runtime {

/// Figures of data sheets, per second and device, in one direction.
struct LinkSpeeds {
  double memory_bytes = 0;
  double near_bytes = 0;      // over the links between the devices of a host, or of a TPU slice
  double far_bytes = 0;       // over the network between hosts
  std::int64_t num_near = 1;  // devices that the fast links connect
};

struct NamedTopology {
  TopologyOptions options;
  std::int64_t device_bytes = 0;  // memory of each device
  /// The part of device_bytes that programs cannot have: what the memory fraction of a GPU leaves,
  /// or what a TPU's runtime reserves.
  std::int64_t reserved_bytes = 0;
  LinkSpeeds speeds;
  std::string device_kind;     // as the plugin names it
  int compute_capability = 0;  // of GPUs, times 10
  std::int64_t num_devices = 1;
  std::int64_t devices_per_process = 1;
  Dims grid;  // of chips; empty for GPUs

  /// Returns the bytes of a device that a program may use.
  std::int64_t usable_bytes() const { return device_bytes - reserved_bytes; }
};

/// Returns the devices of the topology, without opening a plugin.
std::vector<DeviceInfo> devices_of(const NamedTopology& topology);

/// Returns the machines that a name describes: TPUs by their number or grid of chips ("v5e:16",
/// "v5p:4x4x4"), GPUs by their number on one host or by hosts and GPUs of each ("h100:8",
/// "h200:2x8"). Throws invalid_argument, listing the devices that are known, for other names.
NamedTopology named_topology(std::string_view name);

/// Sets the part of each GPU's memory that programs may take (ClientOptions::memory_fraction).
void set_memory_fraction(NamedTopology& topology, double fraction);

/// Returns the names of the devices that are known.
std::vector<std::string> topology_devices();

}  // namespace meshwright::runtime
