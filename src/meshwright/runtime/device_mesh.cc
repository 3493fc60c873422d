// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/device_mesh.h"

namespace meshwright::runtime {

DeviceMesh place_mesh(const std::vector<std::string>& axis_names,
                      const mesh::MeshShape& shape,
                      std::span<const DeviceInfo> devices) {
  std::vector<std::int64_t> granules;
  for (const DeviceInfo& device : devices)
    granules.push_back(device.slice.value_or(device.process));
  mesh::PlacedMesh placed = mesh::place_mesh(axis_names, shape, granules);
  DeviceMesh out{.mesh = std::move(placed.mesh), .device_ids = {}};
  for (std::int64_t index : placed.devices)
    out.device_ids.push_back(devices[static_cast<std::size_t>(index)].id);
  return out;
}

}  // namespace meshwright::runtime
