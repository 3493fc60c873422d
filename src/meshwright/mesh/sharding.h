// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "meshwright/mesh/mesh.h"

namespace meshwright::mesh {

/// How an array lies on a mesh: for each dimension the mesh axes that split it, major to minor.
/// A dimension without axes, or beyond the end of the list, is whole on every device.
struct Sharding {
  std::vector<std::vector<std::string>> dims;

  static Sharding replicated() { return {}; }
  bool is_replicated() const;
  /// True if both cut an array in the same way: dimensions without axes at the end do not count.
  bool operator==(const Sharding& other) const;
};

/// "[data+fsdp, -, tensor]".
std::string to_string(const Sharding& sharding);

/// The mesh axes that split some dimension. Throws invalid_argument if one does not exist in the
/// mesh or is used twice.
AxisSet check_sharding(const Mesh& mesh, const Sharding& sharding);

/// The same without the process axes: how the parts of one process lie on its devices.
Sharding within_process(const Mesh& mesh, Sharding sharding);
/// The process axes that split some dimension.
AxisSet across_processes(const Mesh& mesh, const Sharding& sharding);

}  // namespace meshwright::mesh
