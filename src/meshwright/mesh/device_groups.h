// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "meshwright/mesh/mesh.h"

namespace meshwright::mesh {

/// Returns the product of the sizes of these axes, given by position.
std::int64_t group_size(const Mesh& mesh, std::span<const int> axes);

/// Returns the groups of devices that communicate along `axes`. Devices of a group differ only in
/// their coordinates along `axes` and are ordered by them, with the first axis varying slowest.
std::vector<std::vector<std::int64_t>> device_groups(const Mesh& mesh, std::span<const int> axes);

/// Returns the positions in a set, ascending.
std::vector<int> positions(AxisSet axes);
AxisSet axis_set(std::span<const int> axes);
/// Returns all axes of a mesh.
AxisSet all_axes(const Mesh& mesh);
/// Returns the process axes of a mesh.
AxisSet process_axes(const Mesh& mesh);
/// Returns the names of the axes in a set for messages, such as "d,t".
std::string to_string(const Mesh& mesh, AxisSet axes);

}  // namespace meshwright::mesh
