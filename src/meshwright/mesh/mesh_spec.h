// SPDX-License-Identifier: Apache-2.0
// Meshes as configs write them: one size may be "auto", devices may come in granules (processes,
// slices) that are connected more slowly, and rules pick the mesh for the machine at hand.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/base/regex.h"
#include "meshwright/mesh/mesh.h"
#include "meshwright/mesh/torus.h"

namespace meshwright::mesh {

/// Sizes of the mesh axes. At most one size is absent: "auto", what the other sizes leave.
struct MeshShape {
  using Sizes = std::vector<std::optional<std::int64_t>>;
  Sizes inner;  // within a granule of devices; for a shape without `outer`, of all devices
  Sizes outer;  // between granules; empty: the first axis that is divisible is cut over them
  std::vector<AxisKind> kinds;  // of the axes; empty: all are inner
  bool operator==(const MeshShape&) const = default;
};

/// "4x2", "auto x 2 between granules, 1 x 4 within".
std::string to_string(const MeshShape& shape);

/// A mesh, and for each of its positions the device that stands there, as an index into the list of
/// devices given.
struct PlacedMesh {
  Mesh mesh;
  std::vector<std::int64_t> devices;
  std::string misfit = {};  // with a torus: why some granule keeps its order (TorusOrder)
};

/// `granules` has, for every device, the number of the granule it belongs to. Each size of the mesh
/// is its outer times its inner size, and devices of one granule differ only in inner positions. If
/// there are several granules and no outer shape, the first axis of more than one device is cut
/// over them. Within a granule devices are in their order or, with a `torus` that has the place of
/// each, in that of torus_order. Throws invalid_argument if the sizes and the devices do not fit,
/// saying which sizes would, and unimplemented for a process axis of more than one process; "auto"
/// is one there.
PlacedMesh place_mesh(const std::vector<std::string>& axis_names,
                      const MeshShape& wanted,
                      std::span<const std::int64_t> granules,
                      const std::optional<Torus>& torus = std::nullopt);

/// The same for devices that are all alike, in their order.
Mesh make_mesh(const std::vector<std::string>& axis_names,
               const MeshShape& shape,
               std::int64_t num_devices);

/// The mesh for machines whose selector matches the whole pattern; an absent shape really takes the
/// configured one away.
struct MeshRule {
  Regex selector;
  std::optional<MeshShape> shape;
};

struct MeshChoice {
  std::optional<MeshShape> shape;
  std::optional<std::string> matched;  // the pattern, for the log
};

/// The shape of the first rule that matches; `configured` if none does or there is no selector.
MeshChoice choose_mesh(const std::optional<MeshShape>& configured,
                       std::span<const MeshRule> rules,
                       const std::optional<std::string>& selector);

}  // namespace meshwright::mesh
