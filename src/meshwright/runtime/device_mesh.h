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

/// Lays a mesh over these devices by mesh::place_mesh. A granule is a slice of TPUs, elsewhere the
/// devices of one process: mesh axes that communicate much stay within, and within slices they
/// follow the torus. One warning says if they cannot. To compile for it:
///   client.compile(program, {.device_ids = placed.device_ids})
DeviceMesh place_mesh(const std::vector<std::string>& axis_names,
                      const mesh::MeshShape& shape,
                      std::span<const DeviceInfo> devices);

}  // namespace meshwright::runtime
