// SPDX-License-Identifier: Apache-2.0
// The mesh axes of collectives. Internal to graph/.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "meshwright/graph/ops/collectives.h"

namespace meshwright::graph {

/// Returns the positions of the named mesh axes. Throws invalid_argument if one does not exist, is
/// not manual here or is named twice.
std::vector<int> manual_axes(std::string_view op, const MeshAxes& names, SourceLoc loc);

/// Returns attributes with the positions and the group size of these mesh axes. Throws the
/// errors of manual_axes().
CollectiveAttrs attrs_for(std::string_view op,
                          const MeshAxes& names,
                          std::int64_t dim,
                          std::int64_t concat_dim,
                          SourceLoc loc);

/// Returns `axes` without the process axes, which have one process each.
std::vector<int> inner_axes(const mesh::Mesh& mesh, std::span<const int> axes);

}  // namespace meshwright::graph
