// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "meshwright/mesh/mesh.h"

namespace meshwright::mesh {

/// The product of the sizes of these axes, given by position.
std::int64_t group_size(const Mesh& mesh, std::span<const int> axes);

/// The devices that talk to each other along `axes`: each group holds those that differ only there,
/// in the order of their coordinates with the first of `axes` as the slowest.
std::vector<std::vector<std::int64_t>> device_groups(const Mesh& mesh, std::span<const int> axes);

/// The positions of a set, increasing.
std::vector<int> positions(AxisSet axes);
AxisSet axis_set(std::span<const int> axes);
/// All axes of a mesh.
AxisSet all_axes(const Mesh& mesh);
/// Those between processes.
AxisSet process_axes(const Mesh& mesh);
/// The names of a set, for messages: "d,t".
std::string to_string(const Mesh& mesh, AxisSet axes);

}  // namespace meshwright::mesh
