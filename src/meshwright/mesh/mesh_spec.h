// SPDX-License-Identifier: Apache-2.0
// Meshes in configs. One size may be "auto". Devices may come in granules (processes, slices) with
// slower links between them. Rules select a mesh for each kind of machine.
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

/// Sizes of the mesh axes. At most one size may be absent ("auto"); that axis takes the remaining
/// devices.
struct MeshShape {
  using Sizes = std::vector<std::optional<std::int64_t>>;
  Sizes inner;  // within a granule, or over all devices if `outer` is empty
  Sizes outer;  // across granules; if empty, the first divisible axis is split over them
  std::vector<AxisKind> kinds;  // kinds of the axes; if empty, all are inner
  bool operator==(const MeshShape&) const = default;
};

/// Returns text such as "4x2" or "autox2 between granules, 1x4 within".
std::string to_string(const MeshShape& shape);

/// A mesh, and the device at each of its positions as an index into the given list of devices.
struct PlacedMesh {
  Mesh mesh;
  std::vector<std::int64_t> devices;
  std::string misfit = {};  // why a granule does not follow the torus (TorusOrder); empty if all do
};

/// Places a mesh on devices. `granules` has the granule number of every device. Each size of the
/// mesh is the product of its outer and its inner size, and devices of a granule differ only in
/// their inner positions. With several granules and no outer shape, the first axis with more than
/// one device is split over them. Within a granule, devices keep their order, or follow
/// torus_order() if `torus` gives the position of each device. Throws invalid_argument if sizes and
/// devices do not match, and unimplemented for a process axis with a size above 1 ("auto" means 1
/// for a process axis).
PlacedMesh place_mesh(const std::vector<std::string>& axis_names,
                      const MeshShape& wanted,
                      std::span<const std::int64_t> granules,
                      const std::optional<Torus>& torus = std::nullopt);

/// Returns a mesh over `num_devices` equivalent devices in their order.
Mesh make_mesh(const std::vector<std::string>& axis_names,
               const MeshShape& shape,
               std::int64_t num_devices);

/// The mesh for machines whose selector matches the pattern as a whole. An absent shape removes the
/// configured one.
struct MeshRule {
  Regex selector;
  std::optional<MeshShape> shape;
};

struct MeshChoice {
  std::optional<MeshShape> shape;
  std::optional<std::string> matched;  // the pattern, for logging
};

/// Returns the shape of the first rule that matches, or `configured` if none does or there is no
/// selector.
MeshChoice choose_mesh(const std::optional<MeshShape>& configured,
                       std::span<const MeshRule> rules,
                       const std::optional<std::string>& selector);

}  // namespace meshwright::mesh
