// SPDX-License-Identifier: Apache-2.0
// The chips of a slice of TPUs stand in a box with links between neighbours, and from each end of a
// side back to its other end. A mesh axis communicates fastest along such sides.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace meshwright::mesh {

/// x, y and z of the chip and, where a chip is several devices, the core. None need begin at 0.
using TorusPlace = std::array<std::int64_t, 4>;

/// Devices of one kind, as PJRT calls it: "TPU v4". Those of several slices may have equal places.
struct Torus {
  std::string kind;
  std::vector<TorusPlace> places;
};

struct TorusOrder {
  /// Indices into the places in the order of the positions of the mesh, row-major.
  std::vector<std::int64_t> devices;
  /// Why this is only the order in which the places were given; empty if it follows the torus.
  std::string misfit;
};

/// The order of the devices of one slice along a mesh of these sizes, whose product must be their
/// number. Every mesh axis gets whole sides of the box, as many as make up its size; the last one
/// chooses first, as it is the one to communicate most. Small machines have rings made by hand. All
/// as JAX's create_device_mesh does it, so that runs of both have the same neighbours. Where that
/// one throws there is a misfit; except that devices of one chip are a side on every kind of TPU.
TorusOrder torus_order(std::string_view kind,
                       std::span<const TorusPlace> places,
                       std::span<const std::int64_t> sizes);

}  // namespace meshwright::mesh
