// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "meshwright/mesh/mesh_spec.h"
#include "meshwright/runtime/client.h"

namespace meshwright::runtime {

/// A mesh and the device at each of its positions, row-major.
struct DeviceMesh {
  mesh::Mesh mesh;
  std::vector<int> device_ids;  // for CompileOptions
};

/// Places a mesh on these devices with mesh::place_mesh. A granule is a TPU slice or, on other
/// platforms, the devices of one process. Mesh axes with heavy communication stay within a granule
/// and, within a slice, follow the torus. Logs one warning if they cannot. To compile for the
/// result:
///   client.compile(program, {.device_ids = placed.device_ids})
DeviceMesh place_mesh(const std::vector<std::string>& axis_names,
                      const mesh::MeshShape& shape,
                      std::span<const DeviceInfo> devices);

}  // namespace meshwright::runtime
