// SPDX-License-Identifier: Apache-2.0
// Mesh axes of collectives. Internal to graph/.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "meshwright/graph/ops/collectives.h"

namespace meshwright::graph {

/// Mesh axes by position. Throws invalid_argument unless they are manual where the collective
/// stands.
std::vector<int> manual_axes(std::string_view op, const MeshAxes& names, SourceLoc loc);

/// CollectiveAttrs for these mesh axes.
CollectiveAttrs attrs_for(std::string_view op,
                          const MeshAxes& names,
                          std::int64_t dim,
                          std::int64_t concat_dim,
                          SourceLoc loc);

/// Without the process axes, along which there is one process.
std::vector<int> inner_axes(const mesh::Mesh& mesh, std::span<const int> axes);

}  // namespace meshwright::graph
