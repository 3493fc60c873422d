// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "meshwright/mesh/mesh.h"

namespace meshwright::mesh {

/// The sharding of an array on a mesh: for each dimension, the mesh axes that split it, major to
/// minor. Dimensions without axes, and those beyond the end of the list, are not split.
struct Sharding {
  std::vector<std::vector<std::string>> dims;

  static Sharding replicated() { return {}; }
  bool is_replicated() const;
  /// True if both split an array in the same way. Ignores trailing dimensions without axes.
  bool operator==(const Sharding& other) const;
};

/// Returns text such as "[data+fsdp, -, tensor]".
std::string to_string(const Sharding& sharding);

/// Returns the mesh axes that split any dimension. Throws invalid_argument if one is not in the
/// mesh or is used twice.
AxisSet check_sharding(const Mesh& mesh, const Sharding& sharding);

/// Returns the sharding without process axes. The devices of one process split that process's part
/// in this way.
Sharding within_process(const Mesh& mesh, Sharding sharding);
/// Returns the process axes that split any dimension.
AxisSet across_processes(const Mesh& mesh, const Sharding& sharding);

}  // namespace meshwright::mesh
