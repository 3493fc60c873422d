// SPDX-License-Identifier: Apache-2.0
// Device order on TPU tori. The chips of a TPU slice form a box with links between neighbours and
// wraparound links along each side. Mesh axes that span whole sides communicate fastest.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace meshwright::mesh {

/// The coordinates x, y and z of the chip, and the number of the core if a chip has several
/// devices. Coordinates need not start at 0.
using TorusPlace = std::array<std::int64_t, 4>;

/// Devices of one kind, which is named as in PJRT, such as "TPU v4". Devices of different slices
/// may have equal places.
struct Torus {
  std::string kind;
  std::vector<TorusPlace> places;
};

struct TorusOrder {
  /// Indices into the given places, in row-major order of the mesh positions.
  std::vector<std::int64_t> devices;
  /// The reason why the devices keep the order of the given places; empty if their order follows
  /// the torus.
  std::string misfit;
};

/// Returns the order of the devices of one slice for a mesh of these sizes, whose product must
/// equal the number of devices. Each mesh axis is assigned whole sides of the box, as many as
/// possible for its size. The last axis, which communicates most, chooses first. Small slices use
/// hand-written rings. The order follows JAX's create_device_mesh, so that both have the same
/// neighbours; where JAX throws, `misfit` is set. Unlike JAX, this treats the devices of a chip as
/// a side on every kind of TPU.
TorusOrder torus_order(std::string_view kind,
                       std::span<const TorusPlace> places,
                       std::span<const std::int64_t> sizes);

}  // namespace meshwright::mesh
