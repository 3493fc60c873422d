// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/device_mesh.h"

#include "meshwright/base/log.h"

namespace meshwright::runtime {
namespace {

// Returns nullopt if any device has no place.
std::optional<mesh::Torus> torus_of(std::span<const DeviceInfo> devices) {
  mesh::Torus torus;
  for (const DeviceInfo& device : devices) {
    if (!device.place) return std::nullopt;
    torus.kind = device.kind;
    torus.places.push_back(*device.place);
  }
  return torus;
}

void warn_of_misfit(const mesh::PlacedMesh& placed, bool has_places) {
  const std::string misfit =
      has_places ? placed.misfit : "the plugin does not report their positions";
  if (misfit.empty()) return;
  log_warning(
      "the mesh ", placed.mesh,
      " does not follow the links between the TPUs, which may reduce performance: ", misfit);
}

}  // namespace

DeviceMesh place_mesh(const std::vector<std::string>& axis_names,
                      const mesh::MeshShape& shape,
                      std::span<const DeviceInfo> devices) {
  std::vector<std::int64_t> granules;
  for (const DeviceInfo& device : devices)
    granules.push_back(device.slice.value_or(device.process));
  const std::optional<mesh::Torus> torus = torus_of(devices);
  mesh::PlacedMesh placed = mesh::place_mesh(axis_names, shape, granules, torus);
  const bool are_tpus = devices.size() > 1 && devices[0].slice.has_value();
  if (are_tpus) warn_of_misfit(placed, torus.has_value());
  DeviceMesh out{.mesh = std::move(placed.mesh), .device_ids = {}};
  for (std::int64_t index : placed.devices)
    out.device_ids.push_back(devices[static_cast<std::size_t>(index)].id);
  return out;
}

}  // namespace meshwright::runtime
